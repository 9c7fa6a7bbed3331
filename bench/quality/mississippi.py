"""Connections are judged on this, too: Mark Twain's Life on the Mississippi (1883, public domain), shortened.

Built as the others, with passages about as long as real chunks.
"""

from __future__ import annotations

from bench.quality.texts import Chapter

CHAPTERS = (
    Chapter(
        "The Mississippi is remarkable for its disposition to make prodigious jumps by cutting through narrow necks "
        "of land, and thus straightening and shortening itself. In some places the bends are so deep that if you were "
        "to get ashore at one end of the horseshoe and walk across the neck, half a mile or so, you could sit down "
        "and rest a couple of hours while your steamer came round the long elbow to take you aboard again. When the "
        "river is rising fast, some scoundrel whose plantation is back in the country, and therefore of inferior "
        "value, has only to watch his chance, cut a little gutter across the narrow neck some dark night, and turn "
        "the water into it. In a wonderfully short time the whole stream has taken possession of that ditch, and "
        "placed his countryman's fields, which fronted on the bank, away back upon a big island, with the old "
        "watercourse shoaling up so that boats cannot come within ten miles of it.",
        "In the space of one hundred and seventy-six years the Lower Mississippi has shortened itself two hundred and "
        "forty-two miles. That is an average of a trifle over one mile and a third per year. Therefore any calm "
        "person, who is not blind or idiotic, can see that in the Old Oolitic Silurian Period, just a million years "
        "ago next November, it was upwards of one million three hundred thousand miles long, and stuck out over the "
        "Gulf of Mexico like a fishing-rod. And by the same token any person can see that seven hundred and forty-two "
        "years from now it will be only a mile and three-quarters long, and Cairo and New Orleans will have joined "
        "their streets together, and be plodding comfortably along under a single mayor. There is something "
        "fascinating about science. One gets such wholesale returns of conjecture out of such a trifling investment "
        "of fact. When the water begins to flow through one of these ditches I have been speaking of, it is time for "
        "the people thereabouts to move, for the current cleaves the banks away like a knife.",
        "This is a stream that will not keep to its bed. Its loops are so tight that a passenger may land at the "
        "start of one, stroll over to the far side, and have time for a nap before the boat has made its way round to "
        "him. Every so often it bursts through the thin strip between and saves itself the detour. People have been "
        "known to help it along: a planter with poor ground far from the landing goes out by night at high water, "
        "digs a small trench over the isthmus, and leaves nature to finish the job. Before long the entire river is "
        "running there. Then he has the waterfront, and his neighbour, who used to have it, finds himself stranded on "
        "an island beside a silted-up channel that no vessel can use.",
    ),
    Chapter(
        "La Salle the Frenchman conceived the idea that the great river emptied into the Gulf of California, and "
        "would afford a short cut to China, and he undertook to look into it. He begged certain high privileges of "
        "Louis the Fourteenth, which the king graciously granted: to explore far and wide, build forts, stake out "
        "continents, hand them over to his majesty, and pay the expenses himself, receiving in return some little "
        "advantages of one sort or another, chief among them the monopoly of buffalo hides. He spent several years, "
        "and about all of his money, in making perilous and painful trips between Montreal and a fort which he had "
        "built on the Illinois, before he at last succeeded in getting his expedition into such shape that he could "
        "strike for the Mississippi. Meantime Joliet the merchant and Marquette the priest had crossed the country "
        "from Green Bay by way of the Wisconsin, and had come out upon it in their canoes on the seventeenth of June, "
        "1673.",
        "The voyagers drifted on past the mouth of the Ohio, past cane-brakes, and toward the close of the month "
        "landed at the mouth of the Arkansas, where a naked rabble came out to murder them; but they appealed to the "
        "Virgin for help, and got a feast instead of a fight. They had proved that the river did not flow into the "
        "Gulf of California, and they turned back to carry the news to Canada. It was left for La Salle to furnish "
        "the final proof. In the dead of winter of 1682 he set out with eighteen Indians and twenty-three Frenchmen, "
        "dragging their canoes on sledges over the frozen Illinois. At the Arkansas town, to the admiration of the "
        "savages, he set up a cross with the arms of France on it, and took possession of the whole country for the "
        "king, while the pious priest consecrated the robbery with a hymn. On the ninth of April he stood where the "
        "brackish water meets the sea, and that was the end of his mission.",
        "A French adventurer got it into his head that by following the unknown waterway he would arrive on the "
        "Pacific side, and so at the door of the Orient. He petitioned the Sun King and was handsomely treated: he "
        "might survey whole regions, put up strongholds and present everything to the crown, provided it cost the "
        "crown nothing; by way of reward he alone could deal in bison skins. It ruined him. For years he toiled back "
        "and forth from Canada to his post in the Illinois country, with danger and hardship at every step, before "
        "his party was ready to start. By then two others, a trader named Joliet and Father Marquette of the Jesuits, "
        "had travelled overland from Lake Michigan and paddled out on the big water in the early summer of 1673.",
    ),
    Chapter(
        "When I was a boy, there was but one permanent ambition among my comrades in our village on the west bank. "
        "That was, to be a steamboatman. We had transient ambitions of other sorts, but they were only transient. "
        "When a circus came and went, it left us all burning to become clowns; the first minstrel show that came to "
        "our section left us all suffering to try that kind of life; now and then we had a hope that if we lived and "
        "were good, God would permit us to be pirates. These ambitions faded out, each in its turn. Once a day a "
        "cheap, gaudy packet arrived upward from St Louis, and another downward from Keokuk. Before these events, the "
        "day was glorious with expectancy; after them, the day was a dead and empty thing. The whole drowsing town "
        "felt it. Then a negro drayman lifts up the cry, 'S-t-e-a-m-boat a-comin'!' and the scene changes; the town "
        "drunkard stirs, the clerks wake up, and every house and store pours out a human contribution.",
        "By and by one of our boys went away. He was not heard of for a long time. At last he turned up as apprentice "
        "engineer or striker on a steamboat. This thing shook the bottom out of all my Sunday-school teachings. That "
        "boy had been notoriously worldly, and I just the reverse; yet he was exalted to this eminence, and I left in "
        "obscurity and misery. He would always manage to have a rusty bolt to scrub while his boat tarried at our "
        "town, and he would sit on the inside guard and scrub it, where we could all see him and envy him and loathe "
        "him. He would speak of the labboard side of a horse in an easy, natural way that would make one wish he was "
        "dead. Boy after boy managed to get on the river after that. The minister's son became an engineer, the "
        "doctor's and the postmaster's sons became mud clerks; four sons of the chief merchant became pilots. But "
        "some of us could not get on the river, at least our parents would not let us, and so by and by I ran away.",
        "All the lads of that little place wanted one thing in life, and it was a berth on one of the packets. Other "
        "dreams came to them and went again. They were going to be funny men in the ring for as long as the sawdust "
        "was fresh, then black-faced singers, and buccaneers if heaven would allow it, but none of this lasted. What "
        "lasted was the daily wonder of the two boats, the one coming up and the other going down. All morning they "
        "were waited for, and once they had left nothing remained to live for until tomorrow. The place lay asleep in "
        "the sun until the carter gave his famous shout. At that everybody woke, from the sot on the levee to the "
        "shopmen on their chairs, and the doors let out the entire population.",
    ),
    Chapter(
        "'My boy,' said Mr Bixby, 'you must get a little memorandum book, and every time I tell you a thing, put it "
        "down right away. There's only one way to be a pilot, and that is to get this entire river by heart, and you "
        "have to know it just like A B C.' That was a dismal revelation to me, for my memory was never loaded with "
        "anything but blank cartridges. However, I did not feel discouraged long. By the time we had gone seven or "
        "eight hundred miles I had a note-book that fairly bristled with the names of towns, points, bars, islands, "
        "bends and reaches; but the information was to be found only in the note-book, none of it was in my head. It "
        "made my heart ache to think I had only got half of the river set down; for as our watch was four hours off "
        "and four hours on, day and night, there was a long four-hour gap in my book for every time I had slept since "
        "the voyage began.",
        "At the end of what seemed a tedious while, I had managed to pack my head full of islands and bars. But Mr "
        "Bixby, the moment I grew complacent, would fetch me down again. One day he turned on me suddenly with this "
        "settler: 'What is the shape of Walnut Bend?' He might as well have asked me my grandmother's opinion of "
        "protoplasm. I reflected respectfully, and then said I didn't know it had any particular shape. My "
        "gun-powdery chief went off with a bang, of course, and then went on loading and firing until he was out of "
        "adjectives. 'You only learn the shape of the river,' he said at last, 'and you learn it with such absolute "
        "certainty that you can always steer by the shape that's in your head, and never mind the one that's before "
        "your eyes.' So I went to work, and when I had mastered it he asked me how much water we had in the middle "
        "crossing at Hole-in-the-Wall, trip before last.",
        "The cub's teacher told him to buy a pocket diary and write in it whatever he was told, since nobody could "
        "take a wheel who did not carry every mile of the route in his mind the way a child carries the alphabet. It "
        "was bad news for a youth who had never been able to remember a thing. Still, he cheered up, and after a "
        "week's travel the pages were crammed with landings and headlands, shoals and curves. Unfortunately that was "
        "the only place where they had been stored; ask him without it and he was lost. Worse, the list was full of "
        "holes. The crew stood duty turn and turn about, so whatever had been passed while he lay in his bunk, a good "
        "half of the way, was missing.",
    ),
    Chapter(
        "When the river is very low, and one's steamboat is drawing all the water there is in the channel, or a few "
        "inches more, as was often the case in the old times, one must be painfully circumspect in his piloting. We "
        "used to have to sound a number of particularly bad places almost every trip when the river was at a very low "
        "stage. The boat ties up at the shore, just above the shoal crossing; the pilot not on watch takes his cub or "
        "steersman and a picked crew of men, and goes out in the yawl and hunts for the best water. The pilot on duty "
        "watches his movements through a spy-glass, the while signalling by the whistle, 'try higher up' or 'try "
        "lower down'. When the shoalest spot is reached, the leadsman probes with a pole ten or twelve feet long. As "
        "soon as the yawl enters upon a shoal place the men are ordered to lay their oars, and a buoy is dropped, a "
        "board four or five feet long with one end turned up, anchored by a rope and a heavy stone.",
        "A buoy with a candle in a paper lantern was set at night, and could be seen a mile or more, a little "
        "glimmering spark in the waste of blackness. Nothing delights a cub so much as an opportunity to go out "
        "sounding. There is such an air of adventure about it; often there is danger; it is so gaudy and "
        "man-of-war-like to sit up in the stern-sheets and steer a swift yawl. One trip there was a pretty girl of "
        "sixteen aboard, and Tom and I were both in love with her. I had the turn to go, but my rival tricked me: he "
        "told me the oars were to be fetched, and when I came back with them he was in the boat and gone. Twenty "
        "minutes later, out in the dark, the steamer ran down the yawl before the men could pull away from the light. "
        "Two of them were dragged out from under the wheel; but Tom was not to be found, until a faint hail came over "
        "the water. He was hauled aboard a hero.",
        "In the dry months a pilot often had no more depth under his keel than he needed, and sometimes rather less, "
        "so that nothing could be taken on trust. Before a doubtful passage he had the vessel made fast to the bank. "
        "His partner, who was off duty, then took a rowing-boat with chosen oarsmen and an apprentice and felt about "
        "for the deepest line, while from the wheelhouse he was followed by telescope and told with blasts of steam "
        "whether to go up or down. A man at the bow poked the bottom with a long stick and called what he found. Once "
        "they had the right spot the rowers stopped, and over the side went a marker: a plank bent up at the tip, "
        "with a big stone on a cord to hold it in place.",
    ),
    Chapter(
        "The old raftsmen were rude, uneducated, brave, suffering terrific hardships with sailor-like stoicism; heavy "
        "drinkers, coarse frolickers, prodigious braggarts. A boy who had swum out one night to a big raft, and lay "
        "hidden among the bundles of shingles, saw thirteen of them there around a fire, passing a jug and singing. "
        "One of them jumped up in the air and cracked his heels together and shouted out: 'Whoo-oop! I'm the old "
        "original iron-jawed, brass-mounted, copper-bellied corpse-maker from the wilds of Arkansaw! Look at me! I'm "
        "the man they call Sudden Death and General Desolation! Sired by a hurricane, dam'd by an earthquake, "
        "half-brother to the cholera! I take nineteen alligators and a bar'l of whiskey for breakfast when I'm in "
        "robust health, and a bushel of rattlesnakes and a dead body when I'm ailing!' All the time he was getting "
        "this off, he was shaking his head and looking fierce, and swelling around in a little circle, tucking up his "
        "wristbands.",
        "Then the man that had started the row tilted his old slouch hat down over his right eye, and bent over with "
        "his back sagged and his fists shoving in and out in front of him. 'Bow your neck and spread,' says he, 'for "
        "the Pet Child of Calamity's a-coming! When I'm playful I use the meridians of longitude and parallels of "
        "latitude for a seine, and drag the Atlantic Ocean for whales! I scratch my head with the lightning and purr "
        "myself to sleep with the thunder!' So the pair of them went on edging away from each other and growling "
        "about what they would do, till a little black-whiskered chap called Davy skipped up and said, 'Come back "
        "here, you couple of chicken-livered cowards, and I'll thrash the two of ye!' And he done it, too. He "
        "snatched them, he jerked them this way and that, he knocked them sprawling faster than they could get up. "
        "The others yelled and clapped all the way through, and then the fiddle came out, and they danced a breakdown "
        "on the boards.",
        "Timber floaters were a wild lot: unlettered, hardy, fond of the bottle and of rough fun, and above "
        "everything boastful. There is a tale of a youngster who paddled out in the dark to one of those great log "
        "platforms and spied on the crew from behind a heap of roofing wood. A dozen or so were sitting in the "
        "firelight with their liquor. Suddenly up leapt a fellow who clicked his boots and roared that he was made of "
        "metal from chin to belt, that he killed for a living, that storm and earthquake were his parents and plague "
        "his kin, and that crocodiles and spirits by the cask were what he ate of a morning, with poisonous snakes "
        "when he felt unwell. So he strutted round and round, scowling, and turned up his cuffs.",
    ),
    Chapter(
        "When wages had been forced up to two hundred and fifty dollars a month, the captains began to make pilots of "
        "any man who asked for it, and soon there were more licences than berths, and the pay sank again to a "
        "hundred. A dozen of the boldest, and some of them the best, pilots on the river launched themselves into the "
        "enterprise of an association, chartered by the legislature with large powers. They elected officers, put the "
        "price back at two hundred and fifty, and promised twenty-five dollars a month to every member who was out of "
        "a place. That little touch brought in one or two straggling members from the ranks of the newly-fledged, in "
        "the dull season. Better pay twenty-five dollars than starve; the initiation fee was only twelve dollars. The "
        "widows of deceased members were to draw the same sum, and the dead were to be buried at the association's "
        "expense. So all the superannuated and forgotten pilots in the valley were resurrected, and came in on "
        "crutches, on drays, in ambulances, any way.",
        "Everybody laughed at the association, and called its members the useless. But business doubled in the "
        "spring, and the owners who had stood out were obliged to come to the ridiculed concern for men. 'We'll take "
        "one of yours,' a captain would say; and was told that no member would stand watch with an outsider, so that "
        "he must discharge his other man too. Then there was the matter of the information. In every wharf-boat at "
        "the chief landings the members had a stout box, fastened with a peculiar lock that only they had the key to, "
        "and every one of them left in it his report on the crossings, the soundings, and the newest snags. The "
        "outsiders had nothing but chance gossip, and they began to ground and sink at a disastrous rate. The "
        "underwriters noticed it and decided the question. By the end of a year the fee to join was five hundred "
        "dollars, and it was the tightest monopoly in the world; then the railroads and the war came along and "
        "annihilated it.",
        "At one time too many men had papers to steer, because the owners would certify anybody, and salaries fell by "
        "more than half. A handful of first-rate hands answered by founding a union with a state charter. It fixed "
        "the old figure as the lowest its people would work for, and voted a monthly allowance to whoever had no "
        "employment. In slack months this was bait enough for novices, for it cost little to enrol and the benefit "
        "was twice as much as the fee. Relief was also provided for wives left behind, and a funeral for those who "
        "departed. The result was that at first it filled up with the lame and the aged, old steersmen nobody had "
        "hired for years, who had themselves carried to the door to sign the roll.",
    ),
    Chapter(
        "In the flush times a race between two notoriously fleet steamers was an event of vast importance. The date "
        "was set for it several weeks in advance, and from that time forward the whole valley was in a state of "
        "consuming excitement; politics and the weather were dropped, and people talked only of the coming contest. "
        "As the time approached, the two boats stripped and got ready. Every encumbrance that added weight, or "
        "exposed a resisting surface to wind or water, was removed, if the boat could possibly do without it. The "
        "spars, and sometimes even their supporting derricks, were sent ashore, and no means left to set her afloat "
        "in case she got aground. When the Eclipse and the Shotwell ran their great race, it was said that pains were "
        "taken to scrape the gilding off the fanciful device which hung between the chimneys, and that for that one "
        "trip the captain left off his kid gloves and had his head shaved. But I always doubted these things.",
        "Presently tall columns of steam burst from the escape-pipes of both, two guns boom a good-bye, two "
        "red-shirted heroes mounted on capstans wave their small flags above the massed crews, two plaintive solos "
        "linger on the air a few waiting seconds, two mighty choruses burst forth, and here they come! Brass bands "
        "bray Hail Columbia, huzza after huzza thunders from the shores, and the stately creatures go whistling by "
        "like the wind. Those boats will never halt a moment between New Orleans and St Louis, except for a second or "
        "two at large towns, or to hitch thirty-cord wood-boats alongside; a swarm of men are in each, and by the "
        "time you have wiped your glasses you will be wondering what has become of that wood. Two nicely matched "
        "steamers will stay in sight of each other day after day. In 1870 the Robert E. Lee made the passage in three "
        "days, eighteen hours and fourteen minutes, against her rival the Natchez, and it was the most famous trial "
        "of speed ever made.",
        "There was a season when a match of speed between two crack packets drove everything else out of men's heads. "
        "It was announced more than a month beforehand, and up and down the country nobody cared any longer for "
        "elections or crops. The competitors meanwhile were being made as light as they could be. Whatever caught the "
        "breeze or weighed a few pounds and was not strictly necessary was put on land, even the gear with which a "
        "vessel pries herself off a sandbar. Gossip added the rest. In one celebrated case they were supposed to have "
        "rubbed the gold leaf from the ornament up by the smokestacks, and the skipper, it was whispered, had parted "
        "with his hair and his fine gloves for the sake of lightness. The author does not quite believe it.",
    ),
    Chapter(
        "We lay three days in New Orleans, but the captain did not succeed in finding another pilot, so I was left "
        "ashore, and the Pennsylvania went up the river without me. The night before she sailed, Henry and I sat on a "
        "freight pile on the levee till midnight, and the subject of the chat, mainly, was one which I think we had "
        "not exploited before, steamboat disasters. We doubted if persons not clothed with authority were of much use "
        "in cases of disaster and attendant panic; still, they might be of some use; so we decided that if a disaster "
        "ever fell within our experience we would at least stick to the boat, and give such minor service as chance "
        "might throw in the way. Two days after, when we touched at Greenville, somebody shouted: 'The Pennsylvania "
        "is blown up at Ship Island, and a hundred and fifty lives lost!' At Napoleon, Arkansas, the same evening, we "
        "got an extra, which mentioned some of the names, and said my brother was unhurt; a later one said that he "
        "was hurt beyond help.",
        "It was six o'clock on a hot summer morning, and the Pennsylvania was creeping along, towing a wood-flat "
        "which was fast being emptied, when four of the eight boilers exploded with a thunderous crash, and the whole "
        "forward third of the boat was hoisted toward the sky. The main part of the mass, with the chimneys, dropped "
        "upon her again, a mountain of riddled and chaotic rubbish; and then, after a little, fire broke out. Many "
        "were flung to considerable distances. Henry was among those who fell in the water, and it was said he "
        "started for the shore, but believing that he was not hurt, said he would swim back and help save the "
        "wounded. They laid him with thirty-one others in a public hall at Memphis. Two long rows of prostrate forms, "
        "and every face and head a shapeless wad of loose raw cotton. On the evening of the sixth day his wandering "
        "mind busied itself with matters far away, and his nerveless fingers picked at his coverlet. His hour had "
        "struck; we bore him to the death-room, poor boy.",
        "The young steersman lost his place, as no substitute could be hired, and his ship departed with only his "
        "brother on board. On their last evening the two had sat late among the cargo on the wharf and talked about "
        "wrecks and fires. They asked themselves what a common hand could do when such a thing happened and everyone "
        "lost his head, and made up their minds that they would not desert but would stay and be useful in whatever "
        "small way they could. He was following on another vessel a couple of days behind when a voice from the bank "
        "called out the news: her boilers had burst, with a fearful number of dead. In the papers that evening the "
        "younger man was first listed as safe. The next edition took the hope away.",
    ),
    Chapter(
        "The flood of 1882 will doubtless be celebrated in the river's history for several generations before a "
        "deluge of like magnitude shall be seen. It put all the unprotected low lands under water, from Cairo to the "
        "mouth; it broke down the levees in a great many places, on both sides of the river; and in some regions "
        "south, when the water was at its highest, the Mississippi was seventy miles wide. A number of lives were "
        "lost, and the destruction of property was fearful. The crops were destroyed, houses washed away, and "
        "shelterless men and cattle forced to take refuge on scattering elevations here and there in field and "
        "forest, and wait in peril and suffering until the boats put in commission by the national and local "
        "governments, and by newspaper enterprise, could come and rescue them. The properties of multitudes of people "
        "were under water for months, and the poorer ones must have starved by the hundred if succour had not been "
        "promptly afforded.",
        "A reporter of the Times-Democrat went up the Black and the Red on the relief boat Susie B., and his account "
        "will give the reader a notion of it. For forty miles there was no bank, and no sound but the wash in the "
        "tree-tops; not a bird, not even a frog. Here and there a cabin was tied to a trunk with ropes, the family "
        "sitting on a scaffold under the roof, the floor having been raised four times till there was no more room to "
        "raise it. On a raft of logs stood a few cows, chewing the boughs that were cut for them from a skiff; mules "
        "up to their bellies had stood so for days, and when a beast was tired out it lay down and drowned. 'We've "
        "still got corn for a week,' a woman said, 'but the stock is going.' General York, who was in command, took "
        "off the cattle first in flats, and distributed rations, coffee and quinine to all who came paddling out.",
        "Nobody then living expected to see the like of that high water again. Everything low and undefended along a "
        "thousand miles was drowned. The dykes gave way by the dozen, now on the left and now on the right, and in "
        "parts of Louisiana one would have had to travel seventy miles to get from one dry edge to the other. Some "
        "people perished, and what was ruined could hardly be reckoned: harvests, homes, barns. Survivors crowded "
        "with their animals on whatever knolls stuck out among the trees, cold and hungry, looking out for the rescue "
        "vessels which Washington, the states and the press had sent. Farms stayed submerged for half the year, and "
        "had no help come so quickly the poor would have died of hunger in great numbers.",
    ),
    Chapter(
        "Vicksburg was besieged for six weeks, and the signs and scars still remain as reminders of her tremendous "
        "war experiences: earthworks, trees crippled by the cannon balls, cave-refuges in the clay precipices. The "
        "caves did good service during the six weeks' bombardment of the city, from May the eighteenth to July the "
        "fourth, 1863. They were used by the non-combatants, mainly by the women and children; not to live in "
        "constantly, but to fly to for safety on occasion. They were mere holes, tunnels, driven into the "
        "perpendicular clay bank, then branched Y shape, within the hill. Population, twenty-seven thousand soldiers "
        "and three thousand non-combatants; the city utterly cut off from the world, walled solidly in, the frontage "
        "by gunboats, the rear by soldiers and batteries; hence no buying and selling with the outside, no passing to "
        "and fro, no printed acres of world news to be read at breakfast. All silent there; flour two hundred dollars "
        "a barrel, sugar thirty, rum a hundred dollars a gallon.",
        "A citizen who had been there with his wife told me how it was. 'It got to be Sunday all the time,' said he. "
        "'At first the women and the children would jump when a shell came, and run for the holes, in the dead of "
        "night, bareheaded, and everybody laughing at them; but by and by they only said, there she goes, and went on "
        "talking. A lady would stop in the street, listen, and if the scream of it was going the other way she would "
        "finish her sentence. Seven of us in one cave was comfortable; but there were times when we had twenty-five "
        "or thirty packed in, and no room to turn, and the air so foul you couldn't have lit a candle. One night a "
        "shell burst at the front of ours and stopped up the mouth, and we had to dig out. A man came to call, I "
        "poured him a drink of whiskey, the last we had, and a chunk of iron cut his arm off. We ate mule towards the "
        "end. When the silence came, on the Fourth, we couldn't sleep for it.'",
        "Thirty thousand persons were shut up in that hill town for a month and a half, nine out of ten of them in "
        "uniform. Ironclads closed the river side and Grant's guns the landward side, and not a letter, a newspaper "
        "or a sack of provisions came through. What food remained fetched absurd sums; a barrel of meal cost a small "
        "fortune. Those who did not fight had dug burrows into the steep yellow bluffs, forked at the inner end, and "
        "to these the mothers ran with their little ones whenever the shells began to drop. They were shelters rather "
        "than dwellings. A visitor twenty years afterwards could still make them out, along with the old ramparts and "
        "the splintered trunks.",
    ),
    Chapter(
        "They bury their dead in vaults, above the ground. These vaults have a resemblance to houses, sometimes to "
        "temples; are built of marble, generally; are architecturally graceful and shapely; they face the walks and "
        "driveways of the cemetery, and when one moves through the midst of a thousand or so of them, and sees their "
        "white roofs and gables stretching into the distance on every hand, the phrase 'city of the dead' has all at "
        "once a meaning to him. Many of the cemeteries are beautiful, and are kept in perfect order. When one goes "
        "from the levee or the business streets near it, to a cemetery, he observes to himself that if those people "
        "down there would live as neatly while they are alive as they do after they are dead, they would find many "
        "advantages in it. Fresh flowers, in vases of water, are to be seen at the portals of many of the vaults, "
        "placed there by the pious hands of bereaved parents and children, husbands and wives, and renewed daily.",
        "A milder form of sorrow finds its inexpensive and lasting remembrancer in the coarse and ugly but "
        "indestructible immortelle, which is a wreath or cross or some such emblem, made of rosettes of black linen, "
        "with sometimes a yellow rosette at the conjunction of the cross's bars. It requires no attention: you just "
        "hang it up on the tomb, and there you are; it will take care of your grief for you, and keep it in mind "
        "better than you can. On sunny days pretty little chameleons creep along the marble fronts and catch flies. I "
        "will confess that I have been trying to get down to the sentimental part of the subject, but there is no "
        "genuinely sentimental part to it; for it is all grotesque, ghastly, horrible. I met a man I had not seen for "
        "six years, whom I had known as poor and gloomy; now he was brisk and prosperous. He had gone into "
        "undertaking. 'There's one thing in this world which a person won't take in pine if he can go walnut,' he "
        "said, 'and that's a coffin.'",
        "The deceased of New Orleans are not put into the earth but laid in small buildings of stone. They look like "
        "cottages or little Greek shrines and stand in rows along proper avenues, so that a stroller among the pale "
        "pediments, running on as far as he can see, feels that he has really come to a town, though one where nobody "
        "stirs. All is swept and tidy. It struck the author, who had just come from the filthy quays, that the "
        "inhabitants take far better care of their last lodging than of the earlier ones, and might profit by turning "
        "the habit round. At numerous doors stood jars with new blossoms, which the mourning families replace every "
        "morning.",
    ),
    Chapter(
        "Every town and village along that vast stretch of double river-frontage had a best dwelling, finest "
        "dwelling, mansion, the home of its wealthiest and most conspicuous citizen. It is easy to describe it: large "
        "grassy yard, with paling fence painted white, in fair repair; brick walk from gate to door; big, square, "
        "two-story frame house, painted white and porticoed like a Grecian temple, with this difference, that the "
        "imposing fluted columns and Corinthian capitals were a pathetic sham, being made of white pine, and painted; "
        "iron knocker; brass door knob, discoloured for lack of polishing. Within, an uncarpeted hall, of planed "
        "boards; opening out of it, a parlour, fifteen feet by fifteen; ingrain carpet; mahogany centre-table; lamp "
        "on it, with green-paper shade, standing on a gridiron of high-coloured yarns, by the young ladies of the "
        "house. Several books, piled and disposed, with cast-iron exactness, according to an inherited and "
        "unchangeable plan: Tupper, much pencilled; also Friendship's Offering, and Affection's Wreath, with their "
        "sappy inanities illustrated in die-away mezzotints.",
        "Over the middle of the mantel, engraving, Washington Crossing the Delaware; on the wall by the door, copy of "
        "it done in thunder-and-lightning crewels by one of the young ladies, a work of art which would have made "
        "Washington hesitate about crossing, if he could have foreseen what advantage was going to be taken of it. "
        "Piano, kettle in disguise, with music bound and unbound piled on it: Battle of Prague, Bird Waltz, The Last "
        "Link is Broken. Frantic work in the way of a what-not in the corner, the shelves occupied chiefly with "
        "bric-a-brac: shell with the Lord's Prayer carved on it; Indian arrowheads; spread-eagle dog in plaster; wax "
        "fruit under a glass bell. Horse-hair chairs, horse-hair sofa which keeps sliding from under you. Window "
        "shades of oil stuff with milk-maids and ruined castles stencilled on them in fierce colours. Bedrooms with "
        "rag carpets; not a bathroom in the house, and no visitor likely to come along who has ever seen one. That "
        "was the residence of the principal citizen, all the way from the suburbs of New Orleans to the edge of St "
        "Louis.",
        "In each place by the water there was one residence finer than the others, belonging to the local rich man, "
        "and whoever had seen one knew them all. It stood behind a pale fence and a lawn, a roomy wooden cube with a "
        "front borrowed from the Greeks; but the grand pillars with their carved leaves were only painted deal. No "
        "servant had rubbed up the metal on the door for a long while. You went through a bare passage into the best "
        "room, which was small and square. In the centre was a good table, and on it a lamp upon a mat knitted in "
        "loud wool by the daughters, and a few volumes laid out as they had always been laid: a moral poet with "
        "underlinings, and gift albums full of swooning ladies and feeble verse.",
    ),
    Chapter(
        "In my time ice was jewelry; none but the rich could wear it. But anybody and everybody can have it now. I "
        "visited one of the ice-factories in Natchez, to see what the polar regions might look like when lugged into "
        "the edge of the tropics. But there was nothing striking in the aspect of the place. It was merely a spacious "
        "house, with some innocent steam machinery in one end of it and some big porcelain pipes running here and "
        "there. No, not porcelain; they merely seemed to be; they were iron, but the ammonia which was being breathed "
        "through them had coated them to the thickness of your hand with solid milk-white ice. It ought to have "
        "melted; for one did not require winter clothing in that atmosphere: but it did not melt; the inside of the "
        "pipe was too cold. Sunk into the floor were numberless tin boxes, a foot square and two feet long, and open "
        "at the top end.",
        "These tin boxes were full of clear water; and around each box, salt and other proper stuff was packed; also, "
        "the ammonia gases were applied to the water in some way which will always remain a secret to me, because I "
        "was not able to understand the process. While the water in the boxes gradually froze, men gave it a stir or "
        "two with a stick occasionally, to liberate the air-bubbles, I think. Other men were continually lifting out "
        "boxes whose contents had become hard frozen. They gave the box a single dip into a vat of boiling water, to "
        "melt the block of ice free from its tin coffin, then they shot the block out upon a platform car, and it was "
        "ready for market. These big blocks were hard, solid, and crystal-clear. In certain of them, big bouquets of "
        "fresh and brilliant tropical flowers had been frozen in; in others, beautiful silken-clad French dolls. They "
        "were to be set on end in a platter, in the centre of dinner-tables, to cool the tropical air. At six or "
        "seven dollars a ton the humblest family could afford it.",
        "Something cold to put in one's glass used to be a luxury down there, as dear as diamonds; by the eighties it "
        "was within everybody's reach. The returned traveller went over a works where it was produced, half expecting "
        "the Arctic, and was let down. He found an ordinary large shed with an engine at the far side and a tangle of "
        "what he took for white china tubes. They proved to be plain metal under a crust of frost a palm thick, "
        "caused by the chemical vapour that was driven through them. He stood there in light summer cloth and "
        "wondered that it did not drip, but so deep a chill came from within that it stayed hard. In the ground were "
        "row upon row of oblong cans without lids.",
    ),
    Chapter(
        "The military engineers of the Commission have taken upon their shoulders the job of making the Mississippi "
        "over again, a job transcended in size by only the original job of creating it. They are building wing-dams "
        "here and there, to deflect the current; and dikes to confine it in narrower bounds; and other dikes to make "
        "it stay there; and for unnumbered miles along the shore they are felling the timber-front for fifty yards "
        "back, with the purpose of shaving the bank down to low-water mark with the slant of a house-roof, and "
        "ballasting it with stones; and in many places they have protected the wasting shores with rows of piles. One "
        "who knows the river will promptly aver, not aloud but to himself, that ten thousand River Commissions, with "
        "the mines of the world at their back, cannot tame that lawless stream, cannot curb it or confine it, cannot "
        "say to it, Go here, or Go there, and make it obey.",
        "But a discreet man will not put these things into spoken words; for the West Point engineers have not their "
        "superiors anywhere; they know all that can be known of their abstruse science; and so, since they conceive "
        "that they can fetter and handcuff that river and boss him, it is but wisdom for the unscientific man to keep "
        "still, lie low, and wait till they do it. Captain Eads, with his jetties, has done a work at the mouth which "
        "seemed clearly impossible; so we do not feel full confidence now to prophesy against like impossibilities. I "
        "consulted Uncle Mumford, the mate, concerning this and cognate matters. 'What does Ludlow want to do at St "
        "Louis, or Suter, or the rest?' said he. 'They have started in here to bully the river out of its ways with a "
        "four-mile row of stakes. When there used to be four thousand steamboats, there wasn't a lantern from end to "
        "end, and the snags were thicker than bristles; now there are three dozen boats left, and the government has "
        "snatched out all the snags and lit up the shores like Broadway.'",
        "Officers of the engineer corps, sitting as an official board, have been charged with nothing less than doing "
        "the Creator's work on the river a second time. Out from the sides they run barriers to push the flow "
        "elsewhere. They hem it in with embankments, and then put up more of them so that it shall keep hemmed in. "
        "Mile after mile the trees at the water's edge are cut, the slope is graded like a roof and paved with "
        "rubble, and rows of stakes are driven where the land is crumbling. An old hand looking at it all holds his "
        "tongue, but he has his opinion. Put all the gold on earth and any quantity of such boards together, he "
        "thinks, and still that outlaw will run wherever it pleases and take orders from nobody.",
    ),
    Chapter(
        "The largest annual event in New Orleans is a something which we arrived too late to sample, the Mardi-Gras "
        "festivities. I saw the procession of the Mystic Crew of Comus there, twenty-four years ago, with knights and "
        "nobles and so on, clothed in silken and golden Paris-made gorgeousnesses, planned and bought for that single "
        "night's use; and in their train all manner of giants, dwarfs, monstrosities, and other diverting "
        "grotesquerie, a startling and wonderful sort of show, as it filed solemnly and silently down the street in "
        "the light of its smoking and flickering torches. But it is said that in these latter days the spectacle is "
        "mightily augmented, as to cost, splendour, and variety. There is a chief personage, Rex; and if I remember "
        "rightly, neither this king nor any of his great following of subordinates is known to any outsider. All "
        "these people are gentlemen of position and consequence; and it is a proud thing to belong to the "
        "organisation; so the mystery in which they hide their personality is merely for romance's sake.",
        "Mardi-Gras is of course a relic of the French and Spanish occupation; but I judge that the religious feature "
        "has been pretty well knocked out of it now. Sir Walter has got the advantage of the gentlemen of the cowl "
        "and rosary, and he will stay. His mediaeval business, supplemented by the monsters and the oddities, and the "
        "pleasant creatures from fairy-land, is finer to look at than the poor fantastic inventions and performances "
        "of the revelling rabble of the priest's day, and serves quite as well, perhaps, to emphasize the day and "
        "admonish men that the grace-line between the worldly season and the holy one is reached. This festival had "
        "been the exclusive possession of the city until recently, but now it has spread to Memphis and St Louis and "
        "Baltimore. It has probably reached its limit. It is a thing which could hardly exist in the practical North; "
        "would certainly last but a very brief time. For the soul of it is the romantic, not the funny and the "
        "grotesque. Take away the mysteries, the kings and knights and big-sounding titles, and it would die, down "
        "there.",
        "Carnival is the great day of the year in the Creole capital, and the author missed it on this journey. He "
        "had, however, watched a parade of the masked society named after Comus when he was young. Lords and "
        "cavaliers went by in costumes of brocade ordered from France for the one evening, and behind them came "
        "ogres, midgets and fabulous beasts, the whole train passing without a sound through the glare and smoke of "
        "flaming lights. People told him that it was now a far richer and more expensive affair. Over it presides a "
        "monarch, and who wears his crown, or who is in his court, the public never learns. They are the best "
        "families' sons, pleased to have been admitted, and they conceal their names only because a secret is more "
        "poetic.",
    ),
)

QUOTED = (0, 6, 11, 14)

STRANGERS = (
    "Before you hang the first length, find a true vertical with a plumb line, because no corner of a room can be "
    "trusted. Measure from ceiling to skirting, add ten centimetres and cut four drops at a time, matching the "
    "pattern on the table. With a paste-the-wall paper you roll the adhesive on the plaster, not the sheet, and slide "
    "the drop into place from the top. Smooth it with a wide brush from the middle outwards, and crease it along the "
    "skirting with the back of the scissors before trimming. Bubbles the size of a coin will vanish as it dries; "
    "larger ones mean too little paste. Around sockets, switch off the current, cut a cross over the plate and fold "
    "back the flaps. Wipe the seams with a damp sponge at once.",
    "Each player takes five cards, a wooden fox and three acorns in one colour. The person who most recently climbed "
    "a tree begins. On your turn you may do two of these things: draw a card, move the fox up to three clearings, or "
    "bury an acorn beneath a tile you are standing on. You cannot do the same one twice. If another fox is already in "
    "the clearing, compare your highest cards; the loser goes back to the den and draws one as consolation, and in a "
    "tie both of you stay. When the last tile has been turned over, everyone else gets one more turn. Buried acorns "
    "count three points, complete sets of leaves count seven, and cards left in the hand count against you. With two "
    "people, remove all the owls.",
    "This notice explains what the fitness app does with the information you give us. We record your name, your date "
    "of birth, the workouts you log and, if you allow it, your heart rate and location. We need these data to run the "
    "service you signed up for and to show you your progress; we do not sell them. Anonymous totals are shared with "
    "the clubs so that they can plan their opening times. Payment details are held by our provider and never reach "
    "our servers. You may ask for a copy of everything we hold, correct it, or have it erased, and we will answer "
    "within thirty days. Accounts that have not been used for two years are deleted. If you think that we have "
    "mishandled something, write to the data protection officer or complain to the regulator.",
    "A puppy of eight weeks can be expected to hold on for about two hours by day, so take him out more often than "
    "that: after he wakes, after he eats, after every game. Stand still and be boring until he has done what you came "
    "for, then praise him as if he had won a prize. Accidents indoors are yours and not his; clean them up with an "
    "enzyme spray and say nothing. Biting is how he plays with his litter. Yelp, turn your back for ten seconds and "
    "offer him a toy, and let nobody in the family make an exception. Keep the first lessons to three minutes. "
    "Meeting a bearded man, a pushchair and a vacuum cleaner before the age of fourteen weeks will spare you years of "
    "barking.",
    "Your new varifocal lenses have three zones: the upper part for distance, a narrow corridor for the screen and "
    "the lowest part for print. Most wearers get used to them within a fortnight, provided they do not keep going "
    "back to the old pair. In the first days point your nose at what you want to see, and drop your eyes, not your "
    "chin, to read. Stairs may look nearer or farther away than they are, so hold the rail. If straight lines still "
    "seem to bend after two weeks, or you must tilt your head to find a sharp spot, come in and we shall check how "
    "the frame sits; half a millimetre makes a difference. Rinse the lenses under the tap before wiping, because dust "
    "scratches the coating, and never leave them on the dashboard.",
    "We roast the Ethiopian in batches of twelve kilos and drop it about ninety seconds after the first crack, when "
    "the beans have swelled but no oil shows yet. Any darker and the jasmine goes; any lighter and you are left with "
    "grass and lemon rind. At the cupping table this morning the new lot scored eighty-seven. Dry, it smelled of "
    "apricot stones; after the break, of bergamot and honey, with a tea-like body and a finish that hung on while the "
    "cup cooled. One of the five bowls had a trace of potato, a known defect in the region, and we have asked the "
    "importer about sorting. For filter use sixty grams to the litre and water just off the boil. As an espresso it "
    "wants a week of rest and a finer grind.",
    "Say the words bit, bet and bat one after another with a finger on your chin, and you will feel the jaw drop in "
    "three steps. That is the height of the vowel, the first of the two numbers by which we place it on the chart. "
    "The other is how far forward the tongue lies: compare beat with boot, and ignore for a moment what the lips are "
    "doing. Listeners do not measure any of this, of course; they hear two bands of resonance, and their brains have "
    "learned by the age of one which differences matter at home. A Japanese infant tells r from l as well as you do, "
    "and six months later no longer can. For next week, please record ten speakers of your dialect and plot their "
    "formants with the script on the course page.",
    "For those who do not know me, I shared a desk with Priya for nine years, and I have been asked to keep this "
    "clean. When she first mentioned Daniel it was to complain that some idiot in the choir kept standing on her "
    "scarf. By the third rehearsal the idiot had a name, and by Easter he had a toothbrush in her bathroom. Daniel, "
    "you should know that she alphabetises her spices and that you will never find the cardamom again. Priya, you are "
    "marrying a man who cried at an advertisement for butter. I have watched the two of you argue about a map in a "
    "car park in Leeds for forty minutes and get out holding hands, and I thought then that it would do. Would "
    "everybody please stand and lift a glass to the bride and groom.",
    "I was driving along Mill Road towards the roundabout at roughly twenty-five miles an hour when a silver "
    "hatchback pulled out of the petrol station on my left without stopping. I braked and sounded the horn but could "
    "not avoid it, and the front wing of my car struck its rear door. It was just after four in the afternoon, dry, "
    "with a low sun behind me. Nobody was injured. The other driver said at the scene that she had been looking for a "
    "gap on the far side; she gave me her policy number, and a cyclist who saw it has agreed to be named as a "
    "witness. I attach six photographs, a sketch and an estimate from the body shop. The headlamp and the bumper need "
    "replacing, and the parking sensors no longer work.",
    "A roof that faces south at thirty-five degrees is ideal, but east and west together lose only about fifteen per "
    "cent and spread the yield over the day. Fourteen modules of four hundred and thirty watts fit between your "
    "dormer and the chimney. In our experience such an array produces some five thousand two hundred kilowatt-hours "
    "in a normal year, of which a household like yours uses a third directly and nearly two thirds with a battery in "
    "the cellar. The inverter hums a little and should not hang on a bedroom wall. Scaffolding and mounting take "
    "three days; the grid operator then has up to four weeks to change the meter. At present prices the system pays "
    "for itself in eleven years, not counting the wallbox. The offer stands until the end of the quarter.",
    "Questionnaires were returned by 2,914 employees, a response rate of forty-one per cent, and were weighted by "
    "age, grade and site. The median journey to work took thirty-eight minutes each way. Those who came by bicycle "
    "reported the highest satisfaction, those who changed trains at least once the lowest, and the gap remained when "
    "distance was held constant. Women with children under twelve were twice as likely as the other groups to combine "
    "the trip with an errand. We found no relation between the length of the commute and sickness absence, contrary "
    "to two earlier studies, although the confidence interval is wide. Since people with the worst connections may "
    "already have left the company, the results should be read with caution. The tables for each department are in "
    "the second appendix.",
    "Look closely at the rim of this tea bowl and you will see that it rises and dips like a row of hills. The potter "
    "shaped it by hand, without a wheel, and took it from the kiln with tongs while it was still glowing, so that the "
    "sudden cold turned the glaze a deep matt black. It was made in Kyoto around 1600 for a ceremony in which nothing "
    "was allowed to be showy. A crack down one side has been mended with lacquer and powdered gold, probably in the "
    "eighteenth century; the repair was admired, and the bowl was given a name of its own, Winter Crow. It weighs "
    "less than you would think. The wooden box beside it bears the signatures of four generations of owners. Please "
    "press twelve to hear about the bamboo whisk.",
)

REMARKS = (
    "My uncle swore that he had done exactly this as a young man, out of pure idleness, and won a dollar by it.",
    "Shown to Ellen, who negotiates for the printers and says that nothing has changed since.",
    "I copied this on the train home, and missed my station over it.",
    "The dry tone is the whole trick; count how often he uses the same little word.",
)
