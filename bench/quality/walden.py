"""A library that had a say in how connections are found: Thoreau's Walden (1854, public domain), shortened.

Built as the other one: of each subject one passage of the book is in the first volume and a later one in the
second, the retelling says the first in other words, and the commonplace book quotes some. Many
subjects are of one pond and one winter, so they are more alike than chapters of most books.
"""

from __future__ import annotations

from bench.quality.texts import Chapter

CHAPTERS = (
    Chapter(
        "The startings and arrivals of the cars are now the epochs in the village day. They go and come with such "
        "regularity and precision, and their whistle can be heard so far, that the farmers set their clocks by them, "
        "and thus one well conducted institution regulates a whole country. Have not men improved somewhat in "
        "punctuality since the railroad was invented? Do they not talk and think faster in the depot than they did in "
        "the stage-office?",
        "And hark! here comes the cattle-train bearing the cattle of a thousand hills, sheepcots, stables, and "
        "cow-yards in the air, drovers with their sticks, and shepherd boys in the midst of their flocks, all but the "
        "mountain pastures, whirled along like leaves blown from the mountains by the September gales. But the bell "
        "rings, and I must get off the track and let the cars go by. I will not have my eyes put out and my ears "
        "spoiled by its smoke and steam and hissing.",
        "Trains divide the hours in our little town. So exact is the railroad, and so far does one hear the engine "
        "whistle, that country people correct their clocks when it passes. Everybody has learned to be on time since "
        "the rails were laid, and those who wait at the station speak and decide more quickly than the customers of "
        "the old coach office.",
    ),
    Chapter(
        "I have never felt lonesome, or in the least oppressed by a sense of solitude, but once, and that was a few "
        "weeks after I came to the woods, when, for an hour, I doubted if the near neighborhood of man was not "
        "essential to a serene and healthy life. To be alone was something unpleasant. But I was at the same time "
        "conscious of a slight insanity in my mood, and seemed to foresee my recovery.",
        "I find it wholesome to be alone the greater part of the time. To be in company, even with the best, is soon "
        "wearisome and dissipating. I love to be alone. I never found the companion that was so companionable as "
        "solitude. We are for the most part more lonely when we go abroad among men than when we stay in our chambers. "
        "A man thinking or working is always alone, let him be where he will.",
        "Only a single time did being by myself weigh on me. It was in the first weeks of my life in the forest, and "
        "for about an hour I asked whether a man can stay sane and well without neighbors close by. Solitude seemed "
        "disagreeable then, yet even while I felt lonesome I knew that it was a passing illness of the mind.",
    ),
    Chapter(
        "Not that I wanted beans to eat, for I am by nature a Pythagorean, so far as beans are concerned, whether they "
        "mean porridge or voting, and exchanged them for rice. It was on the whole a rare amusement, which, continued "
        "too long, might have become a dissipation. Though I gave them no manure, and did not hoe them all once, I "
        "hoed them unusually well as far as I went, and was paid for it in the end. I harvested twelve bushels of "
        "beans.",
        "This is the result of my experience in raising beans. Plant the common small white bush bean about the first "
        "of June, in rows three feet by eighteen inches apart, being careful to select fresh round and unmixed seed. "
        "First look out for worms, and supply vacancies by planting anew. Then look out for woodchucks, if it is an "
        "exposed place, for they will nibble off the earliest tender leaves almost clean as they go.",
        "Eating the beans was never my purpose; like a disciple of Pythagoras I leave them alone, and I traded mine "
        "for rice. Growing them was a pastime that could turn into a vice. They got no dung, and some rows were never "
        "touched by the hoe, but where I did hoe I did it thoroughly, and the field rewarded me with a dozen bushels.",
    ),
    Chapter(
        "Every day or two I strolled to the village to hear some of the gossip which is incessantly going on there, "
        "circulating either from mouth to mouth, or from newspaper to newspaper, and which, taken in homoeopathic "
        "doses, was really as refreshing in its way as the rustle of leaves and the peeping of frogs. As I walked in "
        "the woods to see the birds and squirrels, so I walked in the village to see the men and boys; instead of the "
        "wind among the pines I heard the carts rattle.",
        "I observed that the vitals of the village were the grocery, the bar-room, the post-office, and the bank; and, "
        "as a necessary part of the machinery, they kept a bell, a big gun, and a fire-engine, at convenient places; "
        "and the houses were so arranged as to make the most of mankind, in lanes and fronting one another, so that "
        "every traveller had to run the gantlet, and every man, woman, and child might get a lick at him.",
        "Some afternoons I went over to the village for its gossip, which never stops there and goes round by word of "
        "mouth and in print. In small portions it did me as much good as frogs or rustling leaves. The people and "
        "their sons were to me what squirrels and birds are in the forest, and rattling carts took the place of wind "
        "in the trees.",
    ),
    Chapter(
        "It is darker in the woods, even in common nights, than most suppose. I frequently had to look up at the "
        "opening between the trees above the path in order to learn my route, and, where there was no cart-path, to "
        "feel with my feet the faint track which I had worn, or steer by the known relation of particular trees which "
        "I felt with my hands, passing between two pines for instance, not more than eighteen inches apart, in the "
        "darkest night.",
        "It is a surprising and memorable, as well as valuable experience, to be lost in the woods any time. Often in "
        "a snow storm, even by day, one will come out upon a well-known road and yet find it impossible to tell which "
        "way leads to the village. Though he knows that he has travelled it a thousand times, he cannot recognize a "
        "feature in it, but it is as strange to him as if it were a road in Siberia. By night, of course, the "
        "perplexity is infinitely greater.",
        "Few know how black an ordinary night is among trees. To keep the path I watched the gap of sky between the "
        "branches overhead; where no cart had gone my feet searched for the trail I had trodden myself, and my hands "
        "knew certain trunks, so that I could walk through between a pair of pines hardly wider apart than my "
        "shoulders.",
    ),
    Chapter(
        "Formerly I had come to this pond adventurously, from time to time, in dark summer nights, with a companion, "
        "and making a fire close to the water's edge, which we thought attracted the fishes, we caught pouts with a "
        "bunch of worms strung on a thread; and when we had done, far in the night, threw the burning brands high into "
        "the air like skyrockets, which, coming down into the pond, were quenched with a loud hissing, and we were "
        "suddenly groping in total darkness.",
        "I have spent the hours of midnight fishing from a boat by moonlight, anchored in forty feet of water, and "
        "twenty or thirty rods from the shore, surrounded sometimes by thousands of small perch and shiners, and "
        "communicating by a long flaxen line with mysterious nocturnal fishes which had their dwelling forty feet "
        "below. At length you slowly raise, pulling hand over hand, some horned pout squeaking and squirming to the "
        "upper air.",
        "In earlier summers a friend and I would go fishing there at night. We lit a fire on the bank to lure the "
        "fish, and a tangle of worms on a string brought us many a pout. Late, when we had enough, we flung the "
        "glowing sticks like fireworks over the pond; they hissed in the water, and then we stood in the dark and had "
        "to feel our way.",
    ),
    Chapter(
        "All our Concord waters have two colors at least; one when viewed at a distance, and another, more proper, "
        "close at hand. The first depends more on the light, and follows the sky. In clear weather, in summer, they "
        "appear blue at a little distance, especially if agitated, and at a great distance all appear alike. In stormy "
        "weather they are sometimes of a dark slate color. Some consider blue to be the color of pure water, whether "
        "liquid or solid.",
        "Walden is blue at one time and green at another, even from the same point of view. Lying between the earth "
        "and the heavens, it partakes of the color of both. Viewed from a hill-top it reflects the color of the sky; "
        "but near at hand it is of a yellowish tint next the shore where you can see the sand, then a light green, "
        "which gradually deepens to a uniform dark green in the body of the pond.",
        "Water around here wears one color for those far away and a truer one for those beside it. From afar it takes "
        "its hue from the sky and the light: blue on a fine summer day, above all when there are waves, and gray as "
        "slate under a storm. There are people who hold that water in itself, frozen or not, is blue.",
    ),
    Chapter(
        "If you examine the ice closely the morning after it freezes, you find that the greater part of the bubbles, "
        "which at first appeared to be within it, are against its under surface, and that more are continually rising "
        "from the bottom. These bubbles are from an eightieth to an eighth of an inch in diameter, very clear and "
        "beautiful, and you see your face reflected in them through the ice. There may be thirty or forty of them to a "
        "square inch.",
        "Being curious to know what position my great bubbles occupied with regard to the new ice, I broke out a cake "
        "containing a middling sized one, and turned it bottom upward. The new ice had formed around and under the "
        "bubble, so that it was included between the two ices. It was wholly in the lower ice, but close against the "
        "upper, and was flattish, or perhaps slightly lenticular, with a rounded edge.",
        "On the first day after a frost one should look into the fresh ice. What seems to be air inside it is mostly "
        "bubbles that lie beneath and touch it, and others keep coming up from below. They are tiny, lovely and as "
        "clear as glass, so that each mirrors whoever bends over it, and a square inch holds three or four dozen.",
    ),
    Chapter(
        "It is remarkable what a value is still put upon wood even in this age and in this new country, a value more "
        "permanent and universal than that of gold. After all our discoveries and inventions no man will go by a pile "
        "of wood. In this town the price of wood rises almost steadily, and the only question is, how much higher it "
        "is to be this year than it was the last. Mechanics and tradesmen are sure to attend the wood auction.",
        "Every man looks at his wood-pile with a kind of affection. I love to have mine before my window, and the more "
        "chips the better to remind me of my pleasing work. I had an old axe which nobody claimed, with which by "
        "spells in winter days I played about the stumps which I had got out of my bean-field. They warmed me twice, "
        "once while I was splitting them, and again when they were on the fire, so that no fuel could give out more "
        "heat.",
        "Firewood has kept its worth better than gold, even in a young country full of machines. Nobody passes a stack "
        "of wood without a glance. Here it grows dearer each season, and one merely wonders by how much. When a "
        "wood-lot is sold by auction, shopkeepers and craftsmen who never enter a forest otherwise come to bid for the "
        "wood.",
    ),
    Chapter(
        "Breed's hut was standing only a dozen years ago, though it had long been unoccupied. It was set on fire by "
        "mischievous boys, one Election night, if I do not mistake. I had just sunk my head when the bells rung fire, "
        "and in hot haste the engines rolled that way, led by a straggling troop of men and boys, and I among the "
        "foremost, for I had leaped the brook. At first we thought to throw a frog-pond on to it; but concluded to let "
        "it burn, it was so far gone and so worthless.",
        "I drew near in the dark, and discovered the only survivor of the family that I know, who alone was interested "
        "in this burning, lying on his stomach and looking over the cellar wall at the still smouldering cinders "
        "beneath, muttering to himself. He gazed into the cellar from all sides, as if there was some treasure "
        "concealed between the stones, where there was absolutely nothing but a heap of bricks and ashes. The house "
        "being gone, he looked at what there was left.",
        "The empty hut of the Breed family stood until some twelve years since, when boys up to mischief burned it "
        "down on the night of an election. As the alarm rang the fire engine was rushed out with a crowd running ahead "
        "of it, myself in front after a jump across the stream. There was a pond at hand, but the old place was past "
        "saving and not worth it, so we watched the fire.",
    ),
    Chapter(
        "Walden has a reasonably tight bottom at a not unreasonable, though at an unusual, depth. I fathomed it easily "
        "with a cod-line and a stone weighing about a pound and a half, and could tell accurately when the stone left "
        "the bottom, by having to pull so much harder before the water got underneath to help me. The greatest depth "
        "was exactly one hundred and two feet. This is a remarkable depth for so small an area.",
        "When I had mapped the pond by the scale of ten rods to an inch, and put down the soundings, more than a "
        "hundred in all, I observed this remarkable coincidence. Having noticed that the number indicating the "
        "greatest depth was apparently in the centre of the map, I laid a rule on the map lengthwise, and then "
        "breadthwise, and found that the line of greatest length intersected the line of greatest breadth exactly at "
        "the point of greatest depth.",
        "The pond does have a firm floor, only farther down than one expects. To sound it I needed no more than a "
        "fishing line with a stone of some twenty-four ounces, for the pull told me at once when the weight came off "
        "the bottom. At its deepest I measured a hundred and two feet, which is a great depth for a water of that "
        "size.",
    ),
    Chapter(
        "While yet it is cold January, and snow and ice are thick and solid, the prudent landlord comes from the "
        "village to get ice to cool his summer drink; impressively wise, to foresee the heat and thirst of July now in "
        "January. He cuts and saws the solid pond, unroofs the house of fishes, and carts off their very element and "
        "air, held fast by chains and stakes like corded wood, to wintry cellars, to underlie the summer there.",
        "In the winter there came a hundred men swoop down on to our pond one morning, with many car-loads of "
        "ungainly-looking farming tools, sleds, ploughs, drill-barrows, turf-knives, spades, saws, rakes, and each man "
        "was armed with a double-pointed pike-staff. They said that a gentleman farmer, who was behind the scenes, "
        "wanted to double his money; but in order to do so he took off the only coat, ay, the skin itself, of Walden "
        "Pond.",
        "In the depth of winter the careful innkeeper already thinks of hot July and of cool drinks, and drives out to "
        "harvest ice. With a saw he takes the roof from over the fishes, loads the blocks like logs, chained and "
        "staked, and hauls them home to his cellar, where the frozen pond waits for summer.",
    ),
    Chapter(
        "Few phenomena gave me more delight than to observe the forms which thawing sand and clay assume in flowing "
        "down the sides of a deep cut on the railroad. When the frost comes out in the spring, and even in a thawing "
        "day in the winter, the sand begins to flow down the slopes like lava, sometimes bursting out through the snow "
        "and overflowing it where no sand was to be seen before. As it flows it takes the forms of sappy leaves or "
        "vines.",
        "When the sun withdraws the sand ceases to flow, but in the morning the streams will start once more and "
        "branch and branch again into a myriad of others. If you look closely you observe that first there pushes "
        "forward from the thawing mass a stream of softened sand with a drop-like point, like the ball of the finger, "
        "feeling its way slowly and blindly downward. It is wonderful how rapidly yet perfectly the sand organizes "
        "itself as it flows.",
        "Nothing pleased me better than the shapes of clay and sand that melt out of the steep bank beside the "
        "railway. As soon as the ground thaws, be it in spring or on some mild winter day, sand runs over the slope "
        "as lava would, breaks through the snow where one suspected none, and spreads in figures like juicy leaves "
        "and climbing plants.",
    ),
    Chapter(
        "One spring day he took his gun and boat, and thought that he would have a little sport with the ducks. There "
        "was ice still on the meadows, but it was all gone out of the river, and he dropped down to Fair-Haven Pond, "
        "which he found, unexpectedly, covered for the most part with a firm field of ice. Not seeing any ducks, he "
        "hid his boat on the north side of an island in the pond, and then concealed himself in the bushes on the "
        "south side, to await them.",
        "After he had lain still there about an hour he heard a low and seemingly very distant sound, which seemed to "
        "him all at once like the sound of a vast body of fowl coming in to settle there, and, seizing his gun, he "
        "started up in haste and excited; but he found, to his surprise, that the whole body of the ice had started "
        "while he lay there, and drifted in to the shore, and the sound he had heard was made by its edge grating on "
        "the shore.",
        "The old man rowed out one day in spring to shoot ducks. The river was free, though ice lay over the fields, "
        "and at Fair-Haven he was astonished to meet a solid sheet of it on nearly the whole pond. As no duck was to "
        "be seen, he drew the boat up behind an island and with his gun waited in the shrubs on its sunny side.",
    ),
)

QUOTED = (1, 4, 7, 11)

STRANGERS = (
    "Sand the hull with a fine grit before the second coat of varnish. Work with the grain, wipe off the dust with a "
    "cloth dipped in spirit, and let each layer dry for a full day.",
    "Applicants submit the form together with two references. Incomplete applications are not considered, and the "
    "panel's decision, which is sent by post within six weeks, cannot be appealed.",
    "The orchestra's new conductor made her name with Mahler. Under her the woodwind has gained colour, and the "
    "season opens with a premiere for chorus and percussion.",
    "Inflation slowed to three per cent in August as energy became cheaper. The central bank left its rate where it "
    "was and hinted at a cut before the end of the year.",
    "Neurons in the visual cortex respond to edges of a certain angle. Deprived of light in the first weeks, kittens "
    "never develop these cells, although the retina is intact.",
    "Rinse the rice until the water runs clear, toast it in butter with a bay leaf and add hot stock by the ladle. "
    "Stir until creamy, then season with saffron and grated cheese.",
    "The function returns an iterator instead of a list, which saves memory when the file is large. Exceptions raised "
    "by the callback are collected and thrown again after the last row.",
    "After a goalless first half the visitors pressed higher and scored twice from corners. Their captain, booked for "
    "dissent, will be suspended for the derby.",
    "Line four is closed between the stadium and the airport for maintenance. Replacement buses leave every ten "
    "minutes from the stop opposite the ticket hall; folding bicycles are allowed.",
    "The fresco was detached from the wall in 1951 and mounted on canvas. Infrared photographs show that the angel's "
    "left hand was moved twice before the plaster had set.",
    "Delegates approved the treaty by a narrow majority. Two states abstained, citing the clause on inspections, and "
    "the secretariat was asked to report on ratification next spring.",
    "Take one tablet in the morning with food. Tell your physician if you are pregnant or use blood thinners; "
    "dizziness and dry mouth are common and pass within a fortnight.",
)

REMARKS = (
    "My uncle had this by heart and said it whenever the house was full of guests.",
    "Underlined twice in pencil by whoever owned the volume before me.",
    "For the album; Lucy is to draw a border around it.",
    "I copy this on the hottest day of the year with some envy.",
)
