"""Labels of numbers, dates and parties on invoices and receipts, and words that name the document.

English, German, Dutch, French, Spanish, Italian, Portuguese, Polish, Swedish, Russian, Malay; the usual ones also in
Czech, Hungarian, Romanian, Turkish, Ukrainian, Finnish, Danish, Norwegian, Greek, Chinese and Japanese.
"""

from __future__ import annotations

from towpath.fields.invoices.label_patterns import labels_anywhere, labels_at_word_start

#: Words that name the document.
INVOICE_WORD = labels_anywhere(r"""
    \b(?:tax |proforma |commercial |simplified |sales )?invoice\b  \b\w{0,12}rechnung\b  rechnungs-?korrektur
    rechnungs(?:nummer|nr|datum|betrag)  \bfactuur\w*  \bfactures?\b  \bfacturas?\b  \bfattur[ae]\b  \bfaturas?\b
    \bfaktur[aoy]?\w*  сч[её]т(?:-фактура)?\b  \bcredit note\b  \bgutschrift\b  \bavoir\b  \binvois\b
    \binvoice no  \binv(?:oice)? ?(?:no|nr|#)  \bbill of supply\b  \bbill (?:date|number|no)\b  рахунок
    \b(?:utility|electricity|energy|power|gas|water|telephone|phone|internet|mobile|medical|hotel) bill\b
    請求書  发票  發票  \bszámla\b  \bfactur[aă]\b  τιμολόγιο  \blasku\b  \bregning\b
""")
RECEIPT_WORD = labels_anywhere(r"""
    \breceipt\b  \bcash (?:bill|sales?|memo|invoice)\b  \bkassenbon\b  \bkassabon\b  \bquittung\b
    \bticket de caisse\b  \bre[cç]u\b  \brecibo\b  \bricevuta\b  \bscontrino\b  \bparagon\b  \bkvitto\b  \bчек\b
    \bresit\b  \bcashier\b  \bchange\b  \bbalance due\b  \bthank you\b  \bkasse\b  \bwechselgeld\b  \brückgeld\b
    \bjuruwang\b  \bbill no\b
""")
INVOICE_NUMBER = labels_at_word_start(r"""
    (?:invoice|credit note|facture|factura|fattura|faktura)\s(?:[\w()]+\s){0,4}(?:nr|no|n[°º]|№)\b\.?
    (?:\w{0,12}rechnung|rechnungs-?korrektur|gutschrift)\s(?:[\w()]+\s){0,4}(?:nr|no)\b\.?
    (?:tax |sales |cash )?inv(?:oice)?[\s.-]*(?:<number>)\b[.:]?  invoice\s*#  rechnungs?[\s.-]*(?:<number>)\b\.?
    (?:rg|re)\.?[\s-]*(?:nr|no)\b\.?  beleg[\s.-]*(?:<number>)\b\.?  factuur[\s.-]*(?:<number>)\b\.?
    (?:<number>)[\s.]*(?:de |da |de la )?(?:la )?fact(?:ure|ura)  fact(?:ure|ura)\s*(?:<number>)
    (?:<number>)[\s.]*(?:de |del |di |du |della )?(?:recibo|ricevuta|reçu)
    (?:recibo|ricevuta|reçu)\s*(?:<number>)\b[.:]?
    (?:<number>)[\s.]*(?:della |di )?fattura  fattura\s*(?:<number>)\.?  fatura\s*(?:<number>)\.?
    (?:<number>)[\s.]*(?:da )?fatura  faktura\s*(?:vat\s*)?(?:<number>)\.?  numer faktury  nr faktury
    faktur[ae]?[\s-]*(?:nummer|nr|no)\.?  сч[её]т(?:-фактура)?\s*(?:№|n|номер)  номер сч[её]та
    credit note\s*(?:<number>)\b\.?  gutschrifts?[\s.-]*(?:<number>)\b\.?  avoir\s*(?:<number>)
    (?:receipt|bill|slip|doc(?:ument)?|transaction|trans|check|chk|ticket|bon)[\s.]*(?:<number>)\b[.:]?
    invoice (?:ref|reference)  no\.? ?(?:invois|resit)  dokument[\s.-]*(?:<number>)\b\.?
    рахунок(?:-фактура)?\s*(?:№|n|номер)  請求(?:書)?番号  发票号码?  發票號碼?  számla ?szám\w*
    τιμολόγιο\s*(?:<number>)  lasku(?:n)?\s?numero  faktura\b[ \w–-]{0,25}?(?<!\w)č(?:íslo|\.)
    regnings?(?:nummer|nr)\.?
""")
#: The document's title with its number behind it: "Invoice INV/2023/0008", "Facture FA-2017-0010".
INVOICE_TITLE = labels_anywhere(r"""
    \A(?:tax )?invoice\b  \Arechnung\b  \Afactu(?:re|ra|ur)\b  \Afattura\b  \Afatura\b  \Afaktura\b  \Aavoir\b
    \Agutschrift\b  \Acredit note\b  \Aсч[её]т\b  \Arechnungskorrektur\b
""")
INVOICE_DATE = labels_anywhere(r"""
    invoice date  date of (?:invoice|issue)  inv\.? date  invoice dated?  bill(?:ing)? date  issue date
    date issued  receipt date  tax date  rechnungs-?\s?datum  statement date  issued on\b  created(?: on)?\b:?
    発行日  請求日  开票日期  開票日期  дата виставлення  місце і дата  datum vystavení  kelte\b  data facturii
    fatura tarihi  düzenleme tarihi  laskun päiväys
    (?:rechnung|gutschrift|korrektur)\b.{0,70}\bvom\s*\Z  (?:invoice|credit note)\b.{0,70}\b(?:dated|of)\s*\Z
    (?:facture|avoir)\b.{0,40}\bdu\s*\Z  (?:factura|fattura|fatura)\b.{0,40}\b(?:del?|di)\s*\Z
    (?:factuur|faktura)\b.{0,40}\b(?:van|av|z dnia)\s*\Z
    ausstellungsdatum  belegdatum  datum der rechnung  factuur ?datum  date (?:de )?(?:la )?factur\w*
    date d['’ ]émission  facturé le  fecha (?:de )?(?:la )?(?:factura|recibo|emisión|expedición)
    data (?:della )?(?:fattura|ricevuta)
    data (?:documento|emissione)  data (?:da )?(?:fatura|emissão)  data (?:wystawienia|faktury|sprzedaży)
    faktura\s?datum  fakturadato  дата (?:сч[её]та|выставления|составления)  tarikh (?:invois|resit)
    gutschriftsdatum  rechnungsdat
""")
DATE_LABEL = labels_anywhere(r"""
    \bdate\b  \bdatum\b  \bfecha\b  \bdata\b  \bdato\b  \bдата\b  \btarikh\b  \bdatetime\b  \bdt\b
    \ble\b(?=\s*\d)  \bden\b(?=\s*\d)
""")
DUE_DATE = labels_anywhere(r"""
    due date  date due  payment due  \bdue(?: on| by)?\b  pay(?:able)? (?:by|before|until)  fällig\w*
    zahlbar (?:bis|spätestens)  zahlungsziel  zahlung bis  zahlungsfrist  bis zum\b  verval(?:datum|dag)
    支払期限  お支払期日  付款期限  splatnost\w*  fizetési határid\w*  son ödeme  eräpäivä  direct debit date
    te betalen (?:voor|vóór)  (?:date d['’ ])?[ée]ch[ée]ance  vencimiento  scadenza  vencimento
    termin (?:płatności|zapłaty)  förfallodat\w*  forfallsdato  срок оплаты  оплатить до  tarikh akhir
""")
OTHER_DATE = labels_anywhere(r"""
    deliver\w*  liefer\w*  leistung\w*  lever\w*  livraison  entrega  consegna  dostaw\w*  \border(?:ed)? ?date
    order\w*  bestell\w*  auftrag\w*  commande  pedido  ordine  zamówien\w*  shipp\w*  print(?:ed)?\b  expir\w*
    valid\w*  period\w*  zeitraum  from\b  \bto\b  geburt\w*  birth  effective  \bstart  \bend\b  check.?in
    check.?out  contract  vertrag  auth  associée?  prestation  dispatch\w*  despatch\w*  refers to  previous
    original  gemäß  meter  debit date
""")
SUPPLIER_LABEL = labels_anywhere(r"""
    \Averkäufer  \Alieferant\b  \A(?:the )?seller  \Asupplier\b  \A(?:the )?vendor  \Aissued by  \Afrom:  \Afrom\Z
    \Asold by  \Ainvoice from  \Abilled? (?:by|from)  \Acompany (?:details|information|name)  \Apay(?:able)? to\b
    \Aremit(?:tance)? to  \Aпостачальник  \Adodavatel  \Aprodávající  \Aeladó  \Aszállító  \Afurnizor  \Asatıcı
    \Amyyjä  \Aselger  \Asælger  \Aleverandør  \Aεκδότης  \A販売元  \A発行元  \A请求元  \A請求元  \A销售方  \A銷售方
    \Aaccount holder  \Akontoinhaber  \Abeneficiary  \Abegünstigter  \Atitulaire du compte  \Arekeninghouder
    \Aten name van  \At\.n\.v\.  \Aintestat(?:ario|o a)  \Atitular\b  \Arechnungs(?:er)?steller
    \Avenduto da  \Aemessa da  \Avendu par  \Aémise? par  \Averkauft (?:von|durch)  \Aausgestellt von  \Avendido por
    \Aemitid[ao] por  \Averkocht door  \Asprzedane przez
    \Aaussteller  \Aleistungserbringer  \Afournisseur  \Avendeur  \Aémetteur  \Averkoper  \Aleverancier
    \Avendedor  \Aemisor  \Aproveedor  \Afornitore  \Acedente  \Avenditore  \Aemitente  \Afornecedor  \Asprzedawca
    \Awystawca  \Asäljare  \Aleverantör  продавец  поставщик  исполнитель  \Apembekal
""")
CREDIT_NOTE = labels_anywhere(r"""
    credit note  \bgutschrift\b  \bavoir\b  rechnungs-?korrektur  creditnota  nota de crédito  nota di credito
    kreditnota  faktura koryguj  корректировочн
""")
CUSTOMER = labels_anywhere(r"""
    warenempfänger  leistungsempfänger  deliver(?:y)? to  ship(?:ped)? to\b  adresse de livraison  afleveradres
    lieferadresse  abweichende  bill(?:ed)? to\b  invoiced? to\b  sold to\b
    customer(?: name)?\b(?!.*(?:no|number|id|service|copy))  client\b(?! (?:no|id|number))
    rechnungs(?:empfänger|adresse|anschrift)  factuuradres  klant\b(?!nummer)  kunde\b(?!n)  käufer
    adresse de facturation  facturé à  cliente\b  nabywca  kund\b  fakturaadress  покупатель  заказчик  acquirente
    destinatario  adquirente  buyer  billing (?:address|information|details)  shipping (?:address|information)
    service address  supply address  rechnung an\b  köpare  клієнт  покупець  замовник  odběratel  vevő\b  alıcı\b
    cumpărător  ostaja  請求先  御中  购买方  購買方  guest name  patient\b  account name  attn\b
""")
NOT_SUPPLIER = labels_anywhere(r"""
    \(c\)  ©  copyright  \bversion\b  \bstylesheet\b
    invoice  receipt  rechnung  facture?  factuur  factura  fattura  faktura  \bcopy\b  kopie  \bpage\b  seite \d
    welcome  thank  \bdate\b  \bdatum\b  \btel\b  \bfax\b  phone  www\.  http  @  \bcashier\b  \btable\b  \bgst\b
    \bvat\b  \btax\b  \bdelivery\b  \bship to\b  \bbill to\b  \bcash\b(?! ?(?:&|and) carry)  \bbill\b  original
    duplicate  \border\b  \bqty\b  description  \breg(?:istration)?\b\.? ?(?:no|nr)  \bco\.? ?reg\b  customer
    summary  statement  gutschrift  \bavoir\b  credit note  order form  \btotal\b  \bopening hours\b  powered by
    operated by  \bneed help\b  contact us  \bcontact\b  your (?:details|account|bill)  important information
    \bestimate\b  \bquote\b  \bunit\b  \bprice\b  \bitems?\b  \bproduct  payment  terms  conditions  \baddress\b
    \bdetails\b  \binformation\b  \badresse\b  anschrift  請求書  領収書  发票  發票
""")
LEGAL_FORM = labels_anywhere(r"""
    \bs[dbo]n\.?,? ?[b38][hn]d\b  \b[s5]\/[b8]\b  \bb[hn]d\b  \bltd\b  \blimited\b  \bllc\b  \bllp\b  \binc\b
    \bcorp(?:oration)?\b  \bplc\b  \bpte\b  \bgmbh\b  \bag\b  \bkg\b  \bohg\b  \be\.?k\.?\b  \bug\b  \bgbr\b
    \be\.? ?v\.  \bb\.?v\.?(?!\w)  \bn\.?v\.?(?!\w)  \bs\.?a\.?r\.?l\.?(?!\w)  \bs\.?a\.?s\.?(?!\w)
    \bs\.?a\.?(?!\w)  \bs\.?l\.?(?!\w)  \bs\.?r\.?l\.?(?!\w)  \bs\.?p\.?a\.?(?!\w)  \bsp\. ?z ?o\.? ?o
    株式会社  有限会社  合同会社  有限公司  \ba\. ?g\.(?!\w)  \bvvag\b  \ba\.s\.(?!\w)  \bd\.o\.o\b  \bzrt\b
    \boü\b  \buab\b  \bтов\b  \bфоп\b  \bşti\b  \bprivate limited\b
    \bs\.?c\.?(?!\w)  \bab\b  \boy\b  \ba\/s\b  \baps\b  \blda\b  \bltda\b  \beireli\b  \bооо\b  \bзао\b  \bоао\b
    \bао\b  \bип\b  \bco\b\.?  \bcompany\b  \bse\b  \bpty\b  \bpvt\b  \bs\.?r\.?o\.?(?!\w)  \bkft\b
""")
TRADE_WORD = labels_anywhere(r"""
    \benterprise\b  \btrading\b  \brestaurant\b  \brestoran\b  \bcaf[eé]\b  \bmarket\b  \bsupermarket\b  \bmart\b
    \bstores?\b  \bshop\b  \bhardware\b  \bpharmacy\b  \bfarmasi\b  \bbakery\b  \bbookstore\b  \bstationery\b
    \bhotel\b  \bbistro\b  \bkitchen\b  \bsyarikat\b  \bperniagaan\b  \bservices?\b  \bhandel\b  \bapotheke\b
    \bbäckerei\b  \bsalon\b  \bclinic\b  \bklinik\b  \bpetrol\b  \bstation\b  \bmotors?\b  \bgroup\b  \bfoods?\b
    \bmachinery\b  \bdeco\b  \bcorner\b  \belectrical\b  \bindustries\b  \bresources\b
""")
