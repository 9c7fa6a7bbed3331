"""Connections are judged on this, too: Darwin's Voyage of the Beagle (1839, public domain), shortened.

Built as the others: of each subject one passage is in the first volume and a later one in the second, the
retelling says the first in other words, and the commonplace book quotes some. The passages are about as long as
real chunks.
"""

from __future__ import annotations

from bench.quality.texts import Chapter

CHAPTERS = (
    Chapter(
        "Generally the atmosphere at St Jago is hazy, and this is caused by the falling of impalpably fine dust, "
        "which was found to have slightly injured the astronomical instruments. The morning before we anchored at "
        "Porto Praya, I collected a little packet of this brown-coloured fine dust, which appeared to have been "
        "filtered from the wind by the gauze of the vane at the mast-head. Mr Lyell has also given me four packets of "
        "dust which fell on a vessel a few hundred miles northward of these islands. Professor Ehrenberg finds that "
        "this dust consists in great part of infusoria with siliceous shields, and of the siliceous tissue of plants. "
        "In five little packets which I sent him, he has ascertained no less than sixty-seven different organic "
        "forms. The infusoria, with the exception of two marine species, are all inhabitants of fresh water.",
        "I have found no less than fifteen different accounts of dust having fallen on vessels when far out in the "
        "Atlantic. From the direction of the wind whenever it has fallen, and from its having always fallen during "
        "those months when the harmattan is known to raise clouds of dust high into the atmosphere, we may feel sure "
        "that it all comes from Africa. It is, however, a very singular fact, that although Professor Ehrenberg knows "
        "many species peculiar to Africa, he finds none of these in what I sent him. It falls in such quantities as "
        "to dirty everything on board, and to hurt people's eyes; vessels even have run on shore owing to the "
        "obscurity of the atmosphere. In some dust collected three hundred miles from the land I was much surprised "
        "to find particles of stone above the thousandth of an inch square. After this fact one need not be surprised "
        "at the diffusion of the far lighter and smaller sporules of cryptogamic plants.",
        "Around the Cape Verde Islands the air is seldom clear. A powder as fine as flour comes down out of it, and "
        "the men who looked after the telescopes complained that it got into the works. Darwin scraped some of it off "
        "the cloth of the weathercock high up the mast just before the ship came into harbour, and the geologist "
        "Lyell let him have more that had settled on another ship some way to the north. All of it went to Ehrenberg "
        "in Berlin, who put it under his microscope. The brown stuff turned out to be mostly the remains of living "
        "things: tiny flinty shells and bits of plant. He counted well over sixty kinds, and nearly every one of the "
        "little creatures had lived in lakes and rivers and not in the sea.",
    ),
    Chapter(
        "A person, on first entering a tropical forest, is astonished at the labours of the ants: well-beaten paths "
        "branch off in every direction, on which an army of never-failing foragers may be seen, some going forth, and "
        "others returning, burdened with pieces of green leaf, often larger than their own bodies. A small "
        "dark-coloured ant sometimes migrates in countless numbers. One day, at Bahia, my attention was drawn by "
        "observing many spiders, cockroaches, and other insects, and some lizards, rushing in the greatest agitation "
        "across a bare piece of ground. A little way behind, every stalk and leaf was blackened by a small ant. The "
        "swarm having crossed the bare space, divided itself, and descended an old wall. By this means many insects "
        "were fairly enclosed; and the efforts which the poor little creatures made to extricate themselves from such "
        "a death were wonderful.",
        "Certain wasp-like insects, which construct in the corners of the verandahs clay cells for their larvae, are "
        "very numerous in the neighbourhood of Rio. These cells they stuff full of half-dead spiders and "
        "caterpillars, which they seem wonderfully to know how to sting to that degree as to leave them paralysed but "
        "alive, until their eggs are hatched. I was much interested one day by watching a deadly contest between a "
        "Pepsis and a large spider of the genus Lycosa. The wasp made a sudden dash at its prey, and then flew away: "
        "the spider was evidently wounded, for, trying to escape, it rolled down a little slope, but had still "
        "strength sufficient to crawl into a thick tuft of grass. The wasp soon returned, and seemed surprised at not "
        "immediately finding its victim. It then commenced as regular a hunt as ever hound did after fox; making "
        "short semicircular casts, and all the time rapidly vibrating its wings and antennae.",
        "What strikes the newcomer in the Brazilian woods is how hard the ants work. They have trodden proper roads, "
        "and along these there is endless traffic: columns marching out, columns coming home, each carrier under a "
        "scrap of leaf bigger than itself. There is also a little black sort that goes roving in hordes. The "
        "traveller once saw roaches, spiders and even lizards bolting in panic over open earth, and then noticed what "
        "they were fleeing from, for the greenery behind them had gone dark with ants. On reaching a wall the host "
        "split in two and came down on both sides of its quarry, and those caught in the ring struggled desperately "
        "to get out.",
    ),
    Chapter(
        "While staying at an estate on the Rio Macae, I was very nearly being an eye-witness to one of those "
        "atrocious acts which can only take place in a slave country. Owing to a quarrel and a lawsuit, the owner was "
        "on the point of taking all the women and children from the male slaves, and selling them separately at the "
        "public auction at Rio. Interest, and not any feeling of compassion, prevented this act. Indeed, I do not "
        "believe the inhumanity of separating thirty families, who had lived together for many years, even occurred "
        "to the owner. Yet I will pledge myself, that in humanity and good feeling he was superior to the common run "
        "of men. It may be said there exists no limit to the blindness of interest and selfish habit. I was crossing "
        "a ferry with a negro who was uncommonly stupid, and in endeavouring to make him understand I passed my hand "
        "near his face. He, I suppose, thought I was in a passion, and instantly, with a frightened look and "
        "half-shut eyes, he dropped his hands.",
        "On the 19th of August we finally left the shores of Brazil. I thank God, I shall never again visit a "
        "slave-country. To this day, if I hear a distant scream, it recalls with painful vividness my feelings, when "
        "passing a house near Pernambuco, I heard the most pitiable moans, and could not but suspect that some poor "
        "slave was being tortured, yet knew that I was as powerless as a child even to remonstrate. Near Rio de "
        "Janeiro I lived opposite to an old lady, who kept screws to crush the fingers of her female slaves. I have "
        "seen a little boy, six or seven years old, struck thrice with a horse-whip on his naked head, for having "
        "handed me a glass of water not quite clean. It is often attempted to palliate slavery by comparing the state "
        "of slaves with our poorer countrymen: if the misery of our poor be caused not by the laws of nature, but by "
        "our institutions, great is our sin.",
        "At a plantation in Brazil the young Englishman almost had to watch families being torn apart. The master had "
        "got into some dispute that went to court, and he meant to send the wives and the little ones to market in "
        "the capital and keep the husbands. He gave it up in the end because it would not have paid, certainly not "
        "out of pity; that it was cruel to break up some thirty households never entered his mind, and this was a man "
        "kinder than most. Another time, on a river crossing, the visitor waved a hand to make himself clear to a "
        "black man who did not follow him. The poor fellow believed a blow was coming, shut his eyes and let his arms "
        "hang, too cowed even to shield himself.",
    ),
    Chapter(
        "The lazo consists of a very strong, but thin, well-plaited rope, made of raw hide. One end is attached to "
        "the broad surcingle, which fastens together the complicated gear of the recado, or saddle used in the "
        "Pampas; the other is terminated by a small ring of iron or brass, by which a noose can be formed. The "
        "Gaucho, when he is going to use the lazo, keeps a small coil in his bridle-hand, and in the other holds the "
        "running noose, which is made very large, generally having a diameter of about eight feet. This he whirls "
        "round his head, and by the dexterous movement of his wrist keeps the noose open; then, throwing it, he "
        "causes it to fall on any particular spot he chooses. The bolas, or balls, are of two kinds: the simplest, "
        "which is chiefly used for catching ostriches, consists of two round stones, covered with leather, and united "
        "by a thin plaited thong, about eight feet long.",
        "The main difficulty in using either lazo or bolas is to ride so well as to be able at full speed, and while "
        "suddenly turning about, to whirl them so steadily round the head, as to take aim: on foot any person would "
        "soon learn the art. One day, as I was amusing myself by galloping and whirling the balls round my head, by "
        "accident the free one struck a bush; and its revolving motion being thus destroyed, it immediately fell to "
        "the ground, and, like magic, caught one hind leg of my horse; the other ball was then jerked out of my hand, "
        "and the horse fairly secured. Luckily he was an old practised animal, and knew what it meant; otherwise he "
        "would probably have kicked till he had thrown himself down. The Gauchos roared with laughter; they cried out "
        "that they had seen every sort of animal caught, but had never before seen a man caught by himself.",
        "The herdsmen of the plains hunt with two tools. One is a long cord of braided leather, tied at one end to "
        "the saddle girth and carrying at the other a metal ring through which it slides to make a loop. The rider "
        "has some spare turns in the hand that holds the reins; with the right he swings the open loop, wide enough "
        "for a couple of men to stand in, above his hat, and a trick of the wrist stops it from closing. Then he lets "
        "fly and it lands just where he wants it. The other tool is a pair of stones sewn into hide and joined by a "
        "leather string some paces long, and it is meant above all for bringing down the big running birds.",
    ),
    Chapter(
        "At Punta Alta I was fortunate in finding the remains of numerous gigantic, extinct land-quadrupeds. These "
        "were embedded on the beach, within the space of about two hundred yards square, and it is a remarkable "
        "circumstance that so many different species should be found together. First, parts of three heads and other "
        "bones of the Megatherium, the huge dimensions of which are expressed by its name. Secondly, the Megalonyx, a "
        "great allied animal. Thirdly, the Scelidotherium, also an allied animal, of which I obtained a nearly "
        "perfect skeleton; it must have been as large as a rhinoceros. Besides these there was the Toxodon, perhaps "
        "one of the strangest animals ever discovered: in size it equalled an elephant, but the structure of its "
        "teeth proves indisputably that it was intimately related to the gnawers. The remains lay in stratified "
        "gravel and reddish mud, just such as the sea might now wash up on a shallow bank.",
        "The habits of life of these Megatheroid animals were a complete puzzle to naturalists, until Professor Owen "
        "lately solved the problem with remarkable ingenuity. The teeth indicate, by their simple structure, that "
        "they lived on vegetable food, and probably on the leaves and small twigs of trees; their ponderous forms and "
        "great strong curved claws seem so little adapted for locomotion, that some eminent naturalists have actually "
        "believed that, like the sloths, to which they are intimately related, they subsisted by climbing back "
        "downwards on trees. It was a bold, not to say preposterous, idea to conceive even antediluvian trees with "
        "branches strong enough to bear animals as large as elephants. Professor Owen, with far more probability, "
        "believes that, instead of climbing on the trees, they pulled the branches down to them, and tore up the "
        "smaller ones by the roots. The colossal breadth and weight of their hinder quarters became, on this view, of "
        "obvious service, instead of being an encumbrance.",
        "On a strip of shore no bigger than a few fields, near Bahia Blanca, Darwin dug out the bones of one vanished "
        "giant after another, and he marvelled that such a mixed company had ended up in the same place. There were "
        "skulls of the enormous ground sloth, pieces of its cousins, and among these one skeleton with hardly a bone "
        "missing, from a beast the bulk of a rhino. The oddest of them all was as big as an elephant and yet, to "
        "judge by its teeth, was kin to rats and rodents. Everything was lying in layers of pebbles and red silt, the "
        "kind of stuff that waves even today heap up where the water is not deep.",
    ),
    Chapter(
        "General Rosas is a man of an extraordinary character, and has a most predominant influence in the country, "
        "which it seems probable he will use to its prosperity and advancement. He is said to be the owner of "
        "seventy-four square leagues of land, and to have about three hundred thousand head of cattle. His estates "
        "are admirably managed, and are far more productive of corn than those of others. He first gained his "
        "celebrity by his laws for his own estancias, and by disciplining several hundred men, so as to resist with "
        "success the attacks of the Indians. There are many stories current about the rigid manner in which his laws "
        "were enforced. One of these was, that no man, on penalty of being put into the stocks, should carry his "
        "knife on a Sunday: this being the principal day for gambling and drinking, many quarrels arose, which often "
        "proved fatal. One Sunday the Governor came in great form to pay a visit, and the General, in his hurry, "
        "walked out to receive him with his knife, as usual, stuck in his belt.",
        "In conversation he is enthusiastic, sensible, and very grave. His gravity is carried to a high pitch: I "
        "heard one of his mad buffoons, for he keeps two, like the barons of old, relate how he begged for a piece of "
        "music, and at the third asking was staked out in the sun. My interview passed away without a smile, and I "
        "obtained a passport and order for the government post-horses, and this he gave me in the most obliging and "
        "ready manner. By wearing the dress of the Gauchos, and by his feats of horsemanship, he has obtained an "
        "unbounded popularity, and in consequence a despotic power. A man who had murdered another, being arrested "
        "and questioned concerning his motive, answered, He spoke disrespectfully of General Rosas, so I killed him. "
        "At the end of a week the murderer was at liberty. This doubtless was the act of the General's party, and not "
        "of the General himself.",
        "Everybody on the Plata talked of the great landowner who commanded the army. His ranches covered a small "
        "province, his herds ran to hundreds of thousands, and he grew more grain than any of his neighbours. What "
        "had made his name was the strictness of the rules on his own farms, and the troop of riders he had drilled "
        "to keep off the natives. Among other things nobody was allowed a blade on the Lord's day, when people drank "
        "and played cards and stabbed one another over it; whoever broke this sat in the stocks. And then, so the "
        "tale went, the master himself forgot, and stepped out to greet a high official on a Sunday with the weapon "
        "at his waist.",
    ),
    Chapter(
        "I will now give an account of the habits of the Struthio Rhea, or South American ostrich. This bird is well "
        "known to abound on the plains of northern Patagonia, and the united provinces of La Plata. They live on "
        "vegetable matter, such as roots and grass, but at Bahia Blanca I have repeatedly seen three or four come "
        "down at low water to the extensive mud-banks, for the sake, as the Gauchos say, of feeding on small fish. "
        "Although the ostrich in its habits is so shy, wary, and solitary, and although so fleet in its pace, it is "
        "caught without much difficulty by the Indian or Gaucho armed with the bolas. When several horsemen appear in "
        "a semicircle, it becomes confounded, and does not know which way to escape. They generally prefer running "
        "against the wind; yet at the first start they expand their wings, and like a vessel make all sail.",
        "When at the Rio Negro, I repeatedly heard the Gauchos talking of a very rare bird which they called Avestruz "
        "Petise. They described it as being less than the common ostrich, but with a very close general resemblance; "
        "its colour was dark and mottled, and its legs were shorter, and feathered lower down. When at Port Desire, "
        "Mr Martens shot an ostrich; and I looked at it, forgetting at the moment, in the most unaccountable manner, "
        "the whole subject of the Petises, and thought it was a not full-grown bird of the common sort. It was cooked "
        "and eaten before my memory returned. Fortunately the head, neck, legs, wings, many of the larger feathers, "
        "and a large part of the skin, had been preserved; and from these a very nearly perfect specimen has been put "
        "together, and is now exhibited in the museum of the Zoological Society. Mr Gould, in describing this new "
        "species, has done me the honour of calling it after my name.",
        "The tall flightless bird of the pampas is common from the river Plate southward. It grazes and grubs up "
        "roots for the most part, though Darwin watched a few of them walk out over the flats when the tide had gone, "
        "and the locals told him they went fishing there. It is timid, keeps to itself and can outrun nearly "
        "anything, and for all that the horsemen take it easily with their throwing stones. They spread out in a half "
        "ring, and the creature loses its head because it cannot decide where to break through. As a rule it flees "
        "into the breeze, and when it sets off it lifts its wings like a boat hoisting canvas.",
    ),
    Chapter(
        "When we came within hail at Good Success Bay, one of the four natives who were present advanced to receive "
        "us, and began to shout most vehemently, wishing to direct us where to land. It was without exception the "
        "most curious and interesting spectacle I ever beheld: I could not have believed how wide was the difference "
        "between savage and civilised man. The chief spokesman was old, and appeared to be the head of the family; "
        "the three others were powerful young men, about six feet high. Their only garment consists of a mantle made "
        "of guanaco skin, with the wool outside; this they wear just thrown over their shoulders, leaving their "
        "persons as often exposed as covered. The old man had a fillet of white feathers tied round his head, which "
        "partly confined his black, coarse, and entangled hair. His face was crossed by two broad transverse bars; "
        "one, painted bright red, reached from ear to ear; the other, white like chalk, extended above and parallel "
        "to the first.",
        "While going one day on shore near Wollaston Island, we pulled alongside a canoe with six Fuegians. These "
        "were the most abject and miserable creatures I anywhere beheld; quite naked, and even one full-grown woman "
        "was absolutely so. It was raining heavily, and the fresh water, together with the spray, trickled down her "
        "body. At night, five or six human beings, scarcely protected from the wind and rain of this tempestuous "
        "climate, sleep on the wet ground coiled up like animals. Whenever it is low water, winter or summer, night "
        "or day, they must rise to pick shell-fish from the rocks; and the women either dive to collect sea-eggs, or "
        "sit patiently in their canoes, and with a baited hair-line without any hook, jerk out little fish. If a seal "
        "is killed, or the floating carcass of a putrid whale is discovered, it is a feast; and such miserable food "
        "is assisted by a few tasteless berries and fungi.",
        "Four men of Tierra del Fuego were waiting on the beach, and one of them came forward bawling and waving to "
        "show where the boat should put in. Never in his life, Darwin thought, had he looked on anything stranger; so "
        "great a gulf between himself and other human beings he would not have imagined. An elder did the talking, "
        "with three tall and sturdy youths behind him. They had nothing on but a hide with the fur turned outward, "
        "slung loosely about the neck so that it hid very little. The elder had bound a band of pale plumes about his "
        "shaggy black locks, and he had painted two stripes over his face, a scarlet one below and a chalky one "
        "higher up.",
    ),
    Chapter(
        "In the northern arm of the Beagle Channel the scenery becomes even grander than before. The lofty mountains "
        "on the north side compose the granitic axis, or backbone of the country, and boldly rise to a height of "
        "between three and four thousand feet, with one peak above six thousand feet. They are covered by a wide "
        "mantle of perpetual snow, and numerous cascades pour their waters, through the woods, into the narrow "
        "channel below. In many parts, magnificent glaciers extend from the mountain side to the water's edge. It is "
        "scarcely possible to imagine anything more beautiful than the beryl-like blue of these glaciers, and "
        "especially as contrasted with the dead white of the upper expanse of snow. The fragments which had fallen "
        "from the glacier into the water were floating away, and the channel with its icebergs presented, for the "
        "space of a mile, a miniature likeness of the Polar Sea.",
        "The boats being hauled on shore at our dinner-hour, we were admiring from the distance of half a mile a "
        "perpendicular cliff of ice, and were wishing that some more fragments would fall. At last, down came a mass "
        "with a roaring noise, and immediately we saw the smooth outline of a wave travelling towards us. The men ran "
        "down as quickly as they could to the boats; for the chance of their being dashed to pieces was evident. One "
        "of the seamen just caught hold of the bows, as the curling breaker reached it: he was knocked over and over, "
        "but not hurt; and the boats, though thrice lifted on high and let fall again, received no damage. This was "
        "most fortunate for us, for we were a hundred miles distant from the ship, and we should have been left "
        "without provisions or fire-arms. I had previously observed that some large fragments of rock on the beach "
        "had been lately displaced; but until seeing this wave, I did not understand the cause.",
        "Further along that strait in the far south the view grew finer still. On the right hand stood the granite "
        "spine of the land, summits of several thousand feet, wrapped all year in white, with waterfalls leaping down "
        "among the trees. Here and there a river of ice came right down from the heights into the sea. Nothing could "
        "be lovelier, the travellers agreed, than its colour, a clear gemlike blue which the dull snowfields above "
        "only made to shine the more. Lumps kept breaking off and drifting out, so that for a good stretch one could "
        "believe oneself in a toy Arctic.",
    ),
    Chapter(
        "The guanaco, or wild llama, is the characteristic quadruped of the plains of Patagonia; it is the South "
        "American representative of the camel of the East. It is an elegant animal in a state of nature, with a long "
        "slender neck and fine legs. It generally lives in small herds of from half a dozen to thirty in each; but on "
        "the banks of the St Cruz we saw one herd which must have contained at least five hundred. They are generally "
        "wild and extremely wary. The sportsman frequently receives the first notice of their presence, by hearing "
        "from a long distance their peculiar shrill neighing note of alarm. That they are curious is certain; for if "
        "a person lies on the ground, and plays strange antics, such as throwing up his feet in the air, they will "
        "almost always approach by degrees to reconnoitre him. It was an artifice that was repeatedly practised by "
        "our sportsmen with success.",
        "The guanacos have one singular habit, which is to me quite inexplicable; namely, that on successive days "
        "they drop their dung in the same defined heap. I saw one of these heaps which was eight feet in diameter, "
        "and was composed of a large quantity. This habit is very useful to the Peruvian Indians, who use the dung "
        "for fuel, and are thus saved the trouble of collecting it. The guanacos appear to have favourite spots for "
        "lying down to die. On the banks of the St Cruz, in certain circumscribed spaces, which were generally bushy "
        "and all near the river, the ground was actually white with bones. On one such spot I counted between ten and "
        "twenty heads. The animals in most cases must have crawled, before dying, beneath and amongst the bushes. I "
        "do not at all understand the reason of this, but I may observe, that the wounded ones at the St Cruz "
        "invariably walked towards the river.",
        "If one creature stands for the Patagonian steppe, it is the untamed cousin of the llama, which takes the "
        "place there that camels have in Asia. It has a graceful build, thin legged and swan necked. Usually one "
        "meets a couple of dozen together at most, though by one river the expedition came on a throng of many "
        "hundreds. They are hard to get near, and often the hunter knows of them only by a high whinny of warning "
        "from far off. But their inquisitiveness is their undoing. Let a man stretch himself out and kick his legs "
        "about like a fool, and step by step they come to see what he is; more than one was shot in this way.",
    ),
    Chapter(
        "The day of the 20th of February has been memorable in the annals of Valdivia, for the most severe earthquake "
        "experienced by the oldest inhabitant. I happened to be on shore, and was lying down in the wood to rest "
        "myself. It came on suddenly, and lasted two minutes, but the time appeared much longer. The rocking of the "
        "ground was very sensible. There was no difficulty in standing upright, but the motion made me almost giddy: "
        "it was something like the movement of a vessel in a little cross-ripple, or still more like that felt by a "
        "person skating over thin ice, which bends under the weight of his body. A bad earthquake at once destroys "
        "our oldest associations: the earth, the very emblem of solidity, has moved beneath our feet like a thin "
        "crust over a fluid; one second of time has created in the mind a strange idea of insecurity, which hours of "
        "reflection would not have produced.",
        "On the 4th of March we entered the harbour of Concepcion. The mayor-domo of the estate quickly rode down to "
        "tell me the terrible news, that not a house in Concepcion or Talcahuano was standing; that seventy villages "
        "were destroyed; and that a great wave had almost washed away the ruins of Talcahuano. Of this latter "
        "statement I soon saw abundant proofs, the whole coast being strewed over with timber and furniture as if a "
        "thousand ships had been wrecked. Besides chairs, tables, and book-shelves in great numbers, there were "
        "several roofs of cottages, which had been transported almost whole. In Concepcion each house, or row of "
        "houses, stood by itself, a heap or line of ruins; and the cathedral walls, with buttresses of great "
        "thickness, were cut off clean. The first shock was very sudden: had it happened in the middle of the night, "
        "the greater number of the inhabitants must have perished, instead of less than a hundred. The most "
        "remarkable effect was the permanent elevation of the land round the bay by two or three feet.",
        "He had stretched himself out under the trees in southern Chile when, with no warning at all, the soil began "
        "to sway. Old people said afterwards that they had never known so violent a shock. It can only have gone on "
        "for a couple of minutes, though it felt endless. He could keep on his feet, yet his head swam, rather as in "
        "a small boat among choppy waves or on a frozen pond that gives as one glides over it. What stayed with him "
        "was the effect on the mind. We trust the ground more than anything, and to feel it quiver like a skin on "
        "water teaches a man in a moment how little is safe, better than any amount of thinking could.",
    ),
    Chapter(
        "On the road to the Portillo pass, when about half-way up, we met a large party with seventy loaded mules. It "
        "was interesting to hear the wild cries of the muleteers, and to watch the long descending string of the "
        "animals; they appeared so diminutive, there being nothing but the bleak mountains with which they could be "
        "compared. When near the summit, the wind, as generally happens, was impetuous and extremely cold. On each "
        "side of the ridge we had to pass over broad bands of perpetual snow, which were now soon to be covered by a "
        "fresh layer. When we reached the crest and looked backwards, a glorious view was presented. The atmosphere "
        "resplendently clear; the sky an intense blue; the profound valleys; the wild broken forms: the heaps of "
        "ruins, piled up during the lapse of ages; all these together produced a scene no one could have imagined. I "
        "felt glad that I was alone: it was like watching a thunderstorm, or hearing in full orchestra a chorus of "
        "the Messiah.",
        "About noon we began the tedious ascent of the Peuquenes ridge, and then for the first time experienced some "
        "little difficulty in our respiration. The mules would halt every fifty yards, and after resting for a few "
        "seconds the poor willing animals started of their own accord again. The short breathing from the rarefied "
        "atmosphere is called by the Chilenos puna; and they have most ridiculous notions concerning its origin. Some "
        "say all the waters here have puna; others that where there is snow there is puna. At the place where we "
        "slept water necessarily boiled, from the diminished pressure of the atmosphere, at a lower temperature than "
        "it does in a less lofty country. Hence the potatoes, after remaining for some hours in the boiling water, "
        "were nearly as hard as ever. The pot was left on the fire all night, and next morning it was boiled again, "
        "but yet the potatoes were not cooked. My two companions had come to the simple conclusion that the cursed "
        "pot did not choose to boil potatoes.",
        "Climbing toward the top of the Cordillera the travellers ran into a caravan on its way down, dozens of pack "
        "animals in single file with their drivers yelling. Against those bare slopes they looked no larger than "
        "toys. Higher up there was a bitter gale, and old snowfields had to be crossed before and after the "
        "watershed, with the next winter's fall not far away. From the highest point Darwin turned round. Air like "
        "glass, a sky of deepest blue, gorges, jagged crags and slopes of rubble that had been gathering since who "
        "knows when: he had nothing to liken it to but a tempest or Handel sung by a mighty choir, and he was "
        "thankful that nobody stood beside him.",
    ),
    Chapter(
        "As I was walking along on Chatham Island I met two large tortoises, each of which must have weighed at least "
        "two hundred pounds: one was eating a piece of cactus, and as I approached, it stared at me and slowly walked "
        "away; the other gave a deep hiss, and drew in its head. These huge reptiles, surrounded by the black lava, "
        "the leafless shrubs, and large cacti, seemed to my fancy like some antediluvian animals. The tortoise is "
        "very fond of water, drinking large quantities, and wallowing in the mud. The larger islands alone possess "
        "springs, and these are always situated towards the central parts, and at a considerable height. Hence broad "
        "and well-beaten paths branch off in every direction from the wells down to the sea-coast; and the Spaniards "
        "by following them up, first discovered the watering-places. When the tortoise arrives at the spring, quite "
        "regardless of any spectator, he buries his head in the water above his eyes, and greedily swallows great "
        "mouthfuls, at the rate of about ten in a minute.",
        "The inhabitants believe that these animals are absolutely deaf; certainly they do not overhear a person "
        "walking close behind them. I was always amused when overtaking one of these great monsters, as it was "
        "quietly pacing along, to see how suddenly, the instant I passed, it would draw in its head and legs, and "
        "uttering a deep hiss fall to the ground with a heavy sound, as if struck dead. I frequently got on their "
        "backs, and then giving a few raps on the hinder part of their shells, they would rise up and walk away; but "
        "I found it very difficult to keep my balance. The flesh of this animal is largely employed, both fresh and "
        "salted; and a beautifully clear oil is prepared from the fat. The Vice-Governor, Mr Lawson, declared that "
        "the tortoises differed from the different islands, and that he could with certainty tell from which island "
        "any one was brought. I did not for some time pay sufficient attention to this statement.",
        "On one of the Galapagos he came face to face with a pair of giants in armour, heavier than any man. The "
        "first was munching a prickly pear, gave him a look and plodded off; its fellow blew out its breath and "
        "retired into its shell. Amid cinders and bare bushes they might have been left over from before the Flood. "
        "These animals love to drink and to roll in a muddy pool. But springs are found only on the bigger islands, "
        "far inland and high up, and so many generations have trudged there that regular highways lead up from the "
        "beach; it was by these that the first settlers found fresh water. Once arrived, the beast plunges its face "
        "in over the eyes and gulps away, no matter who is looking on.",
    ),
    Chapter(
        "The remaining land-birds of the Galapagos form a most singular group of finches, related to each other in "
        "the structure of their beaks, short tails, form of body, and plumage: there are thirteen species. All these "
        "species are peculiar to this archipelago, with one exception lately brought from Bow Island. The most "
        "curious fact is the perfect gradation in the size of the beaks in the different species of Geospiza, from "
        "one as large as that of a hawfinch to that of a chaffinch, and even to that of a warbler. Seeing this "
        "gradation and diversity of structure in one small, intimately related group of birds, one might really fancy "
        "that from an original paucity of birds in this archipelago, one species had been taken and modified for "
        "different ends. The males of all, or certainly of the greater number, are jet black; and the females, with "
        "perhaps one or two exceptions, are brown.",
        "Unfortunately most of the specimens of the finch tribe were mingled together, for it never occurred to me "
        "that the productions of islands only a few miles apart, and placed under the same physical conditions, would "
        "be dissimilar. I have strong reasons to suspect that some of the species of the sub-group Geospiza are "
        "confined to separate islands. If the different islands have their representatives of Geospiza, it may help "
        "to explain the singularly large number of the species of this sub-group in this one small archipelago, and "
        "as a probable consequence of their numbers, the perfectly graduated series in the size of their beaks. They "
        "feed, many of them, on the ground in great flocks in the lower country, or hop about the flowers of the "
        "great cactus-trees. All are extremely tame; a gun is here almost superfluous, for with the muzzle I pushed a "
        "hawk off the branch of a tree, and the small birds may be killed with a switch, or even with a cap or hat.",
        "Apart from a few others, the small birds of those islands belong to one odd family of a dozen or so kinds, "
        "alike in shape, feathering and stumpy tail, and almost all of them unknown anywhere else on earth. The cocks "
        "are black and the hens drab. What is remarkable is the bill. Set the different sorts in a row and it "
        "dwindles by easy steps, from a stout nutcracker to something as fine as an insect eater's. One could be "
        "tempted to think, Darwin remarks, that a single sort once arrived where there were hardly any birds, and "
        "that its offspring were reshaped, some for this way of living and some for that.",
    ),
    Chapter(
        "At Tahiti, as soon as we anchored in Matavai Bay, we were surrounded by canoes. This was our Sunday, but the "
        "Monday of Tahiti: if the case had been reversed, we should not have received a single visit; for the "
        "injunction not to launch a canoe on the sabbath is rigidly obeyed. After dinner we landed to enjoy all the "
        "delights produced by the first impressions of a new country, and that country the charming Tahiti. A crowd "
        "of men, women, and children was collected on the memorable Point Venus, ready to receive us with laughing, "
        "merry faces. I was pleased with nothing so much as with the inhabitants. There is a mildness in the "
        "expression of their countenances which at once banishes the idea of a savage; and an intelligence which "
        "shows that they are advancing in civilisation. Most of the men are tattooed, and the ornaments follow the "
        "curvature of the body so gracefully, that they have a very elegant effect.",
        "Upon going up the valley of Tia-auru with two Tahitian guides, I told them to take provisions with them, but "
        "they said that there was plenty of food in the mountains, and for clothing, that their skins were "
        "sufficient. In the evening, with the stems of the wild banana for posts and its large leaves for thatch, "
        "they built us in a few minutes an excellent house. They then proceeded to make a fire, and cook our evening "
        "meal. A light was procured by rubbing a blunt-pointed stick in a groove made in another, as if with "
        "intention of deepening it, until by the friction the dust became ignited. Having made a small fire of "
        "sticks, they placed a score of stones, of about the size of cricket-balls, on the burning wood, and between "
        "the hot layers they put small parcels of beef, fish, ripe and unripe bananas wrapped in leaves. In about a "
        "quarter of an hour the whole was most deliciously cooked. Before we laid ourselves down to sleep, the elder "
        "Tahitian fell on his knees, and repeated a long prayer.",
        "The ship had hardly dropped anchor when the islanders paddled out to it from all sides. By the reckoning on "
        "board it was the day of rest, but on land the new week had begun, and a lucky thing too, for had it been "
        "their Sunday nobody would have touched a paddle; the missionaries' rule is kept to the letter. In the "
        "afternoon the company went ashore at the place where Cook had watched Venus, and a cheerful, smiling throng "
        "of old and young was there to welcome them. It was the people that charmed Darwin most. They looked gentle "
        "and quick of mind, not in the least wild, and the patterns pricked into the men's skin ran along with the "
        "lines of the limbs in a way he found truly handsome.",
    ),
    Chapter(
        "On entering the lagoon of the Keeling Islands, the scene was very curious and rather pretty; its beauty, "
        "however, entirely depended on the brilliancy of the surrounding colours. The shallow, clear, and still water "
        "of the lagoon, resting in its greater part on white sand, is, when illumined by a vertical sun, of the most "
        "vivid green. This brilliant expanse, several miles in width, is on all sides divided, either by a line of "
        "snow-white breakers from the dark heaving waters of the ocean, or from the blue vault of heaven by the "
        "strips of land, crowned by the level tops of the cocoa-nut trees. The ocean throwing its waters over the "
        "broad reef appears an invincible, all-powerful enemy; yet we see it resisted, and even conquered, by means "
        "which at first seem most weak and inefficient. Let the hurricane tear up its thousand huge fragments; yet "
        "what will that tell against the accumulated labour of myriads of architects at work night and day, month "
        "after month?",
        "From the fact of the reef-building corals not living at great depths, it is absolutely certain that "
        "throughout these vast areas, wherever there is now an atoll, a foundation must have originally existed "
        "within a depth of from twenty to thirty fathoms from the surface. If then the foundations were not uplifted "
        "into the requisite position, they must of necessity have subsided into it; and this at once solves the "
        "difficulty. Let us take an island surrounded by a fringing reef, and let it slowly sink. The water will "
        "encroach little by little on the shore, the island becoming lower and smaller, and the space between the "
        "inner edge of the reef and the beach proportionally broader. The corals meanwhile grow up on the outer "
        "margin, and so we have a barrier-reef; and let the land go on subsiding until the last and highest pinnacle "
        "disappears, and there remains a perfect atoll. We see in each a monument raised by myriads of tiny "
        "architects, to mark the spot where a former land lies buried in the depths of the ocean.",
        "Inside the ring of Keeling it is the colours that one remembers. The water is so thin and quiet over its "
        "bright bottom that at noon it glows like an emerald for miles, and round about runs either a white line of "
        "surf, with the dark sea beyond, or a low bank of palms cut off straight against the sky. What moved Darwin "
        "more was the contest at the edge. The swell pounds the rim without mercy and one would say that nothing "
        "could hold out against such force. But the feeblest of creatures do hold out. A storm may rip off blocks by "
        "the hundred, and it makes no difference, since countless tiny builders never stop mending what is broken.",
    ),
)

QUOTED = (2, 7, 12, 15)

STRANGERS = (
    "This limited warranty covers defects in materials and workmanship for twenty-four months from the date on your "
    "receipt. If the kettle fails in normal household use, we will repair it or, at our choice, supply a comparable "
    "model free of charge. Limescale, scorched bases, cut cords and damage caused by running the appliance empty are "
    "not included, nor is any use in a hotel, canteen or office kitchen. To make a claim, keep the original proof of "
    "purchase, note the serial number under the base and contact the service desk before you send anything. Parcels "
    "that arrive without a return number are refused. Your statutory rights against the retailer are not affected by "
    "this offer, and it cannot be passed on to a later owner.",
    "For the lentil soup, soften two chopped onions and a stick of celery in olive oil over a low flame until they "
    "are sweet, which takes longer than you think. Stir in a spoonful of cumin, half a spoonful of smoked paprika and "
    "three cloves of garlic, and let them toast for a minute. Tip in three hundred grams of red lentils and a litre "
    "and a half of vegetable stock. Simmer for twenty-five minutes with the lid ajar, skimming off the foam. Blend "
    "half of it and return it to the pan so that some texture remains. Sharpen with lemon juice, taste for salt, and "
    "serve with yoghurt and a handful of coriander. It thickens overnight and freezes well.",
    "Present: the chair, the treasurer, six residents and the managing agent by telephone. Apologies were received "
    "from flat nine. The minutes of the last meeting were approved with one correction. The agent reported that three "
    "quotations for the lift had come in and that the cheapest did not include the new control panel. It was agreed "
    "to ask the second firm for a fixed price. The treasurer noted arrears of service charge from two owners; letters "
    "go out on Friday. A resident asked again about bicycles in the stairwell, and the chair will obtain the price of "
    "wall hooks for the basement. Any other business: the front door closer slams. The next meeting is on the "
    "eleventh of May at half past seven in the laundry room.",
    "Thaw the competent cells on ice for ten minutes and add two microlitres of the ligation mix without pipetting up "
    "and down. After half an hour on ice, apply a heat shock at forty-two degrees for forty-five seconds in the water "
    "bath and put the tubes straight back. Add nine hundred microlitres of warm medium and shake at thirty-seven "
    "degrees for one hour. Plate one hundred microlitres on agar with ampicillin; spin down the remainder, resuspend "
    "it and plate it as well. Include a control without plasmid and one with the uncut vector. Incubate overnight, "
    "upside down, for no more than sixteen hours, since satellite colonies make counting impossible. Record the "
    "number on each plate and pick four colonies for screening.",
    "City threw away a two-goal lead in the last eight minutes and may come to regret it in spring. They were the "
    "better side for an hour; Okafor headed in an early corner, and Lindqvist finished a move of fourteen passes just "
    "before the interval. Then the substitutions began. With the captain off the field nobody tracked the runs from "
    "deep, and when the visitors pulled one back from the penalty spot the stadium went quiet. The equaliser, deep in "
    "stoppage time, was a deflected shot that left the goalkeeper stranded. The manager spoke of concentration and of "
    "a refereeing decision he preferred not to discuss. Both teams stay in mid-table, and City have now failed to win "
    "any of their past five home fixtures.",
    "Your pension statement shows what you may receive at the age of sixty-seven if contributions continue at the "
    "present level. The figures assume growth of four per cent a year after charges and are given in the money of "
    "today. They are not a promise. You may take up to a quarter of the fund as a lump sum free of tax and use the "
    "rest to buy an annuity, or leave it invested and draw an income when you need it. If you have changed employer, "
    "ask whether your earlier schemes can be combined, but check first that you would not lose a guaranteed rate. "
    "Please tell us whom you wish to benefit in the event of your death; the nomination on our records is more than "
    "ten years old.",
    "The upgrade to version four changes how sessions are stored, so everybody is signed out once. Before you begin, "
    "take a backup of the database and make sure that no background jobs are pending. Set the new secret key in the "
    "environment, run the migration script and restart the workers one at a time; the web process will refuse to "
    "start while any of them still speaks the old protocol. The configuration option for legacy tokens has been "
    "removed, and clients that relied on it receive an authentication error. Fixed in this release: a memory leak in "
    "the export queue, wrong time zones in weekly reports, and a crash when an uploaded file had an empty name. "
    "Rolling back after the migration is not supported.",
    "Begin lying on your back with both knees bent and the feet flat, hip-width apart. Breathe out, draw the navel "
    "gently towards the spine and lift the pelvis until shoulders and knees form a line. Hold for five slow breaths "
    "and come down one vertebra after another. Ten repetitions are enough in the first fortnight after the operation. "
    "If the scar pulls or you feel a stabbing in the groin, stop and tell your physiotherapist; a dull ache in the "
    "muscles the next day is normal. From the third week you may cross one ankle over the other knee to make it "
    "harder. Do not drive, vacuum or carry shopping until you have been seen at the clinic, and go on wearing the "
    "stockings at night.",
    "The second act is where this revival comes to life. Until then one admires the set, a dentist's waiting room "
    "with a ceiling that sinks by an inch in each scene, and waits for somebody to raise a voice. When the widow at "
    "last reads out the letter, Harriet Bell does it so flatly, like a shopping list, that the audience laughs before "
    "it understands. The director trusts silence, sometimes too much; a pause of forty seconds is an idea only once. "
    "The young lodger is underplayed and the brother is frankly miscast, but the closing duet for two people who "
    "cannot look at each other is the finest thing on a stage in this town since Christmas. It runs until the end of "
    "the month.",
    "We are looking for a payroll clerk to join our finance team on a permanent basis, thirty hours a week, with the "
    "option of working from home on two days. You will process the monthly salaries of about four hundred staff, "
    "answer their questions about tax codes, sick pay and parental leave, and reconcile the control accounts at the "
    "end of the quarter. Experience with a large payroll package is essential, a recognised certificate desirable. We "
    "expect accuracy, discretion and good humour in the last week of the month. In return we offer twenty-eight days "
    "of holiday, a subsidised canteen and a travel card. Please send a covering letter and a curriculum vitae, "
    "without a photograph, to the address below. Interviews take place in the second week of October.",
    "The tenant shall pay the rent in advance on the first working day of each month, and shall not assign or sublet "
    "the premises, in whole or in part, without the prior written consent of the landlord, such consent not to be "
    "unreasonably withheld. The tenant shall keep the interior in good and tenantable repair, fair wear and tear "
    "excepted, and shall permit the landlord or his agents, upon forty-eight hours' notice, to enter and view its "
    "condition. No nails shall be driven into the panelling. The deposit shall be lodged with an approved scheme and "
    "returned within ten days of the end of the term, less any sum properly due for dilapidations. Either party may "
    "determine this agreement by not less than two months' notice in writing.",
    "In Year Five we start fractions with paper and not with numbers. Every child folds a strip into halves, quarters "
    "and eighths, labels the parts and lays the strips under each other, and within a few minutes somebody calls out "
    "that two of these are one of those. Only then do we write it down. The commonest mistake, adding the tops and "
    "then the bottoms, comes from seeing a fraction as two separate figures; ask such a pupil to show you the answer "
    "with the strips and he will usually catch it himself. Quick finishers can look for three different fractions "
    "that together make a whole. For homework the class measures ingredients at the kitchen table and brings back one "
    "sentence about what was hard.",
)

REMARKS = (
    "Read aloud to the boys after supper; nobody at the table had an answer, and I had none either.",
    "Grandfather put a slip of paper in here, and I believe he would have given a year of his life to be there.",
    "For my talk at the society in November, if I find nothing better to begin with.",
    "To be looked up again in the other edition, where I am told he altered the wording.",
)
