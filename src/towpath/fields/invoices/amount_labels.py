"""Labels of amounts on invoices and receipts in several languages.

English, German, Dutch, French, Spanish, Italian, Portuguese, Polish, Swedish, Russian, Malay; the usual ones also in
Czech, Hungarian, Romanian, Turkish, Ukrainian, Finnish, Danish, Norwegian, Greek, Chinese and Japanese.
"""

from __future__ import annotations

from functools import lru_cache

from towpath.fields.invoices.label_patterns import labels_in_lower_case

#: Labels of the amount to pay.
TOTAL_FINAL = labels_in_lower_case(r"""
    payable  \bto (?:be )?pa(?:y|id)\b  amount due  balance due  total due  rounded  after (?:rounding|adj|rnd)
    zu zahlen  à payer  te betalen  a pagar  da pagare  do zapłaty  att betala  к оплате  perlu dibayar
""")
#: Labels that name the total of the document without doubt.
TOTAL_STRONG = labels_in_lower_case(r"""
    \b(?:amount|amt|total) (?:to be paid|to pay)  rechnungsbeitrag  grand total
    total (?:amt|amount)? ?(?:payable|due|to pay)  (?:amount|balance) (?:due|payable)\b
    total (?:sales?|amt|amount)? ?\(?(?:incl|inclu)  total incl  nett total\b  due payable  total rounded
    rounded total  total after (?:rounding|adj|rnd)  invoice (?:total|amount)  total (?:price|invoice)\b
    gesamtbetrag  gesamtsumme  endsumme  schlussbetrag  totalbetrag  gesamtpreis
    rechnungsbetrag  rechnungssumme  endbetrag  zu zahlen(?:der)?  zahlbetrag
    bruttobetrag  gesamt\w* brutto  bruttosumme  brutto gesamt  total ttc  net à payer  montant (?:total|ttc)
    total à payer  total général  à payer  montant dû  factuur ?totaal  totaalbedrag  te betalen
    totaal (?:incl|te)  total (?:de (?:la )?)?factura  total ?a ?pagar  importe total  importo totale
    totale (?:fattura|documento|da pagare|ivato|dovuto)  netto a pagare  valor total
    total (?:da fatura|a pagar|com iva)  do zapłaty  razem brutto  wartość brutto  kwota brutto  att betala
    totalsumma  fakturabelopp  summa att betala  (?:всего|итого) к оплате  к оплате
    jumlah (?:besar|perlu dibayar|keseluruhan)  gross (?:total|amount)  total gross  order total  please pay
    direct debit amount  (?:всього|разом) до (?:сплати|оплати)  до (?:сплати|оплати)  k úhradě  fizetendő
    de plat[ăa]  genel toplam  ödenecek  maksettava  πληρωτέο  (?:ご)?請求金額  ご?請求額  お支払い?金額  总金额
    價税合計  价税合计  （小写）  （小寫）  應付  应付
""")
#: Labels of a total, unless `NOT_TOTAL` says otherwise.
TOTAL_PLAIN = labels_in_lower_case(r"""
    \btotal\b  \btota[il1]\b  \btotaal\b  \btotale\b  \bsumme\b  \bgesamt\b  \bsuma\b  \brazem\b  \bsumma\b
    \btotalt\b  \bитого\b  \bвсего\b  \bjumlah\b  \bttl\b  \btotal amt\b  \bbrutto\b  \bttc\b  \btoplam\b
    total ?amount  \bвсього\b  \bразом\b  \bcelkem\b  \bspolu\b  összesen  \bi alt\b  yhteensä  σύνολο  \bukupno\b  合計
    合计  总计  總計
""")
#: Words that make a line with "total" something else.
NOT_TOTAL = labels_in_lower_case(r"""
    sub[- ]?tot  zwischensumme  sous[- ]?total  subtotaal  subtotale  suma częściowa  delsumma  промежуточ
    \bline (?:item )?totals?\b  positionssumme  summe (?:der )?positionen  \bradsumma\b  小計  小计  mezisoučet
    total (?:excl|before)  \btaxable\b  net total  total net\b  previous (?:charges|balance)
    total (?:no\.? of )?(?:qty|quantity|items?|pcs|units?|number|article|weight)
    total (?:savings?|discounts?|disc\b|points?|saved|cash|tender|paid|payment)
    \bqty\b  \bquantity\b  \bitem\(?s?\)? ?(?:count|:)  no\.? of items?
    total (?:gst|tax|vat|sst|mwst|ust|tva|iva|btw|moms|taxes)\b(?! ?incl)  \b(?:montant|total) (?:de la )?tva
    discount  saving
    (?:excl|exc|excluding|exclusive|before|without|w/o)\b.{0,12}(?:gst|tax|vat|sst)
    (?:zzgl|exkl|hors)\b.{0,12}(?:mwst|btw|moms|iva|tva)
    \bexcl\b  exclusief  \btotal ht\b  hors taxe  \bht\b  sin iva  senza iva  sem iva  base imponible  imponibile
    без ндс  \bnetto\b(?! a pagare)  nettobetrag  nettosumme  net amount  \bwartość netto
    \bnet (?:total|value)\b(?=.*(?:excl|before))  rabatt  skonto  remise  korting  anzahlung  vorauszahl
    previous|brought forward|carried|übertrag  \bper ?(?:unit|stuk)\b  unit price  \beinzelpreis  prijs per
    prix unitaire  \bper month\b  \bpoints?\b  \bmwst\b.{0,8}\d  included in total
""")
TAX = labels_in_lower_case(r"""
    \b(?:gst|vat|sst|tax|taxes|service tax|sales tax)\b  \bmwst\b  \bust\b  mehrwertsteuer  umsatzsteuer
    steuerbetrag  \btva\b  taxes?\b  \biva\b  \bi\.v\.a\b  imposta  \bbtw\b  \bmoms\b  \bptu\b  \bvat\b  kwota vat
    \bндс\b  cukai  \b[cis]gst\b  \b[hpq]st\b  \bпдв\b  \bdph\b  \báfa\b  \bkdv\b  \balv\b  \bφπα\b  消費税  税額  税额
""")
NET = labels_in_lower_case(r"""
    \bline (?:item )?totals?\b  positionssumme  小計  小计  mezisoučet  total before tax
    sub[- ]?total  zwischensumme  sous[- ]?total  subtotaal  subtotale  \bnet(?: amount| total| value)?\b
    nettobetrag  nettosumme  \bnetto\w*  \btotal ht\b  \bht\b  hors taxe  base imponible  imponibile
    exclusief btw  \bexcl  grondslag  \bexcluding\b  \bbefore tax\b  amount\(rm\)  taxable  valor líquido
    base tributável  wartość netto  razem netto  exkl  summa exkl  без ндс
    steuerbasis|summe (?:der )?positionen|warenwert
""")
PAID = labels_in_lower_case(r"""
    \bcash\b  \bpaid\b  \bpayment\b  \btender(?:ed)?\b  \bvisa\b  \bmaster(?:card)?\b  \bamex\b  \bdebit\b
    \bcredit card\b  \bbar\b  \bgegeben\b  \bbezahlt\b  \bgiven\b  \breceived\b  \bkarte\b  \bcontant\b  \bpin\b
    \besp[eè]ces\b  \bcb\b  \befectivo\b  \btarjeta\b  \bcontanti\b  \bdinheiro\b  \bgot[oó]wka\b  \bkontant\b
    \bkort\b  наличн  \btunai\b  \bbaucar\b
""")
CHANGE = labels_in_lower_case(r"""
    \bchange\b  \bbalance\b(?! due)  wechselgeld  r[üu]ckgeld  \bzur[üu]ck\b  \bwisselgeld\b  \brendu\b
    \bcambio\b  \bresto\b  \btroco\b  \breszta\b  \bväxel\b  сдача  \bbaki\b
""")
ROUNDING = labels_in_lower_case(r"""
    round(?:ing|ed)?\b(?! ?total)  \brnd\b  rounding adj  rundung  afronding  arrondi  redondeo  arrotondamento
    öresavrundning  zaokrąglen  округл  pembundaran|pelarasan
""")
#: Words that make any total one without tax, or a part of it.
WITHOUT_TAX = labels_in_lower_case(r"""
    \btaxable\b
    \bohne\b  \bnetto\b(?! a pagare)  \bexcl  \bexkl  \bexc\b  \bhors\b  \bht\b  \bh\.t\.  before tax  without tax
    sin iva  senza iva  zuschl[aä]g  abschl[aä]g  allowance  surcharge
    sem iva  \bzzgl\b  \bexclusief\b  imponibile  base imponible  sub-?total  без ндс  \bnet total\b  \bnet amount\b
""")


#: The end of a label that is looked at, in characters; the last labels are remembered, for each is asked about twice.
_MAX_LABEL = 90
_CACHED_LABELS = 1_024


def names_total(label: str) -> bool:
    """True if the label names the total of a document, not a part of it."""
    return _names_total(label[-_MAX_LABEL:])


@lru_cache(maxsize=_CACHED_LABELS)
def _names_total(text: str) -> bool:
    if not (TOTAL_STRONG.search(text) or TOTAL_PLAIN.search(text)):
        return False
    return not (NOT_TOTAL.search(text) or WITHOUT_TAX.search(text))


def names_sum(label: str) -> bool:
    """True if the label names a total, a net amount or a tax."""
    text = label[-_MAX_LABEL:]
    return _names_total(text) or bool(NET.search(text) or TAX.search(text))
