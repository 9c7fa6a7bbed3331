"""Connections are judged on this, too: Aesop after Joseph Jacobs (1894), shortened.

Each fable is cut in its midst: the beginning is in the first volume and the end in the second, as a book would
be that came in two files. The retelling says the beginning in other words. Public domain.
"""

from __future__ import annotations

from bench.quality.texts import Chapter

CHAPTERS = (
    Chapter(
        "Once when a Lion was asleep a little Mouse began running up and down upon him; this soon wakened the "
        "Lion, who placed his huge paw upon him, and opened his big jaws to swallow him. Pardon, O King, "
        "cried the little Mouse: forgive me this time, I shall never forget it: who knows but what I may be "
        "able to do you a turn some of these days? The Lion was so tickled at the idea of the Mouse being "
        "able to help him, that he lifted up his paw and let him go.",
        "Some time after the Lion was caught in a trap, and the hunters, who desired to carry him alive to "
        "the King, tied him to a tree while they went in search of a waggon to carry him on. Just then the "
        "little Mouse happened to pass by, and seeing the sad plight in which the Lion was, went up to him "
        "and soon gnawed away the ropes that bound the King of the Beasts.",
        "A mouse scampered over a sleeping lion and woke him. Already the great beast held it under his paw "
        "and was about to eat it when the mouse begged for its life and promised to repay the favour one day. "
        "That so tiny a creature should ever be of use to him made the lion laugh, and he set the mouse free.",
    ),
    Chapter(
        "Once upon a time a Wolf was lapping at a spring on a hillside, when, looking up, what should he see "
        "but a Lamb just beginning to drink a little lower down. There's my supper, thought he, if only I can "
        "find some excuse to seize it. Then he called out to the Lamb, How dare you muddle the water from "
        "which I am drinking?",
        "Well, then, said the Wolf, why did you call me bad names this time last year? That cannot be, said "
        "the Lamb; I am only six months old. I don't care, snarled the Wolf; if it was not you it was your "
        "father; and with that he rushed upon the poor little Lamb and ate her all up. But before she died "
        "she gasped out: Any excuse will serve a tyrant.",
        "From the upper end of a brook a wolf caught sight of a lamb that had come to drink below him. He "
        "meant to eat it, yet wanted a pretext, and so he shouted that the lamb was stirring up mud and "
        "spoiling the water he drank.",
    ),
    Chapter(
        "In a field one summer's day a Grasshopper was hopping about, chirping and singing to its heart's "
        "content. An Ant passed by, bearing along with great toil an ear of corn he was taking to the nest. "
        "Why not come and chat with me, said the Grasshopper, instead of toiling and moiling in that way? I "
        "am helping to lay up food for the winter, said the Ant, and recommend you to do the same.",
        "But the Ant went on its way and continued its toil. When the winter came the Grasshopper had no "
        "food, and found itself dying of hunger, while it saw the ants distributing every day corn and grain "
        "from the stores they had collected in the summer. Then the Grasshopper knew: it is best to prepare "
        "for the days of necessity.",
        "All summer a grasshopper sang in the meadow. To an ant that dragged a heavy grain of corn past it, "
        "the idle singer proposed to sit down and talk. The ant replied that it was gathering provisions "
        "against the cold season and that the grasshopper would do well to gather some too.",
    ),
    Chapter(
        "The Hare was once boasting of her speed before the other animals. I have never yet been beaten, said "
        "she, when I put forth my full speed. I challenge any one here to race with me. The Tortoise said "
        "quietly, I accept your challenge. That is a good joke, said the Hare; I could dance round you all "
        "the way.",
        "So a course was fixed and a start was made. The Hare darted almost out of sight at once, but soon "
        "stopped and, to show her contempt for the Tortoise, lay down to have a nap. The Tortoise plodded on "
        "and plodded on, and when the Hare awoke from her nap, she saw the Tortoise just near the "
        "winning-post and could not run up in time to save the race.",
        "No animal is as fast as I am, bragged the hare, and dared them all to run against her. To "
        "everybody's surprise the tortoise was willing. The hare found that very funny, for she believed she "
        "could skip in circles about such an opponent for the whole race.",
    ),
    Chapter(
        "The Frogs were living as happy as could be in a marshy swamp that just suited them; they went "
        "splashing about caring for nobody and nobody troubling with them. But some of them thought that this "
        "was not right, that they should have a king, so they determined to send up a petition to Jove. Jove "
        "laughed at their croaking, and threw down into the swamp a huge Log, which came down splash into the "
        "water.",
        "So they sent another petition to Jove, and said to him: We want a real king; one that will really "
        "rule over us. Now this made Jove angry, so he sent among them a big Stork that soon set to work "
        "gobbling them all up. Then the Frogs repented when too late. Better no rule than cruel rule.",
        "In their swamp the frogs had all they wanted and no master. Still a few believed that a people needs "
        "a king and asked the god for one. Amused by the croaking request, Jove dropped them a log, and it "
        "fell with a great splash in the midst of the frogs.",
    ),
    Chapter(
        "Patty the Milkmaid was going to market carrying her milk in a Pail on her head. As she went along "
        "she began calculating what she would do with the money she would get for the milk. I'll buy some "
        "fowls from Farmer Brown, said she, and they will lay eggs each morning, which I will sell to the "
        "parson's wife.",
        "With the money that I get from the sale of these eggs I'll buy myself a new dimity frock and a chip "
        "hat; and when I go to market, won't all the young men come up and speak to me! Polly Shaw will be "
        "that jealous; but I don't care. I shall just look at her and toss my head like this. As she spoke "
        "she tossed her head back, the Pail fell off it, and all the milk was spilt.",
        "With a full pail balanced on her head the milkmaid walked to town. On the road she reckoned how much "
        "her milk would bring and how to spend it: first of all on hens, whose eggs she could then offer to "
        "the clergyman's wife every day.",
    ),
    Chapter(
        "One day a countryman going to the nest of his Goose found there an egg all yellow and glittering. "
        "When he took it up it was as heavy as lead and he was going to throw it away, because he thought a "
        "trick had been played upon him. But he took it home on second thoughts, and soon found to his "
        "delight that it was an egg of pure gold.",
        "Every morning the same thing occurred, and he soon became rich by selling his eggs. As he grew rich "
        "he grew greedy; and thinking to get at once all the gold the Goose could give, he killed it and "
        "opened it only to find nothing. Greed oft o'er reaches itself.",
        "A farmer looked under his goose and discovered a shining yellow egg that weighed like lead. "
        "Suspecting some prank he nearly flung it from him, but carried it into the house after all, and "
        "there it proved to be golden through and through.",
    ),
    Chapter(
        "A Man and his son were once going with their Donkey to market. As they were walking along by its "
        "side a countryman passed them and said: You fools, what is a Donkey for but to ride upon? So the Man "
        "put the Boy on the Donkey and they went on their way. But soon they passed a group of men, one of "
        "whom said: See that lazy youngster, he lets his father walk while he rides.",
        "The Man and Boy got off and tried to think what to do. They thought and they thought, till at last "
        "they cut down a pole, tied the donkey's feet to it, and raised the pole and the donkey to their "
        "shoulders. They went along amid the laughter of all who met them till they came to Market Bridge, "
        "when the Donkey, getting one of his feet loose, kicked out and caused the Boy to drop his end of the "
        "pole.",
        "Father and son led a donkey to the fair. A peasant mocked them for walking when they had a beast to "
        "carry them, whereupon the lad mounted it. A little farther on people scolded the boy as an idler who "
        "sat on the donkey while the old man had to go on foot.",
    ),
    Chapter(
        "A slave named Androcles once escaped from his master and fled to the forest. As he was wandering "
        "about there he came upon a Lion lying down moaning and groaning. At first he turned to flee, but "
        "finding that the Lion did not pursue him, he turned back and went up to him. As he came near, the "
        "Lion put out his paw, which was all swollen and bleeding, and Androcles found that a huge thorn had "
        "got into it.",
        "But shortly afterwards both Androcles and the Lion were captured, and the slave was sentenced to be "
        "thrown to the Lion, after the latter had been kept without food for several days. The Emperor and "
        "all his Court came to see the spectacle. But as soon as the Lion came near to Androcles he "
        "recognised his friend, and fawned upon him, and licked his hands like a friendly dog.",
        "Androcles, a runaway slave, met a groaning lion in the woods and wanted to take to his heels. Since "
        "the animal stayed where it was he came closer, and it stretched a bloody, swollen paw towards him. "
        "In it stuck a great thorn.",
    ),
    Chapter(
        "A Fox once saw a Crow fly off with a piece of cheese in its beak and settle on a branch of a tree. "
        "That's for me, as I am a Fox, said Master Reynard, and he walked up to the foot of the tree. "
        "Good-day, Mistress Crow, he cried. How well you are looking to-day: how glossy your feathers; how "
        "bright your eye.",
        "I feel sure your voice must surpass that of other birds, just as your figure does; let me hear but "
        "one song from you that I may greet you as the Queen of Birds. The Crow lifted up her head and began "
        "to caw her best, but the moment she opened her mouth the piece of cheese fell to the ground, only to "
        "be snapped up by Master Fox. Do not trust flatterers.",
        "On a bough sat a crow with some cheese that she had carried away. The fox, who was hungry for it, "
        "placed himself below and praised her: what shining plumage, what brilliant eyes, and how splendid "
        "madam appeared this morning.",
    ),
    Chapter(
        "Long ago, the mice had a general council to consider what measures they could take to outwit their "
        "common enemy, the Cat. Some said this, and some said that; but at last a young mouse got up and said "
        "he had a proposal to make, which he thought would meet the case. You will all agree, said he, that "
        "our chief danger consists in the sly and treacherous manner in which the enemy approaches us.",
        "I venture, therefore, to propose that a small bell be procured, and attached by a ribbon round the "
        "neck of the Cat. This proposal met with general applause, until an old mouse got up and said: That "
        "is all very well, but who is to bell the Cat? The mice looked at one another and nobody spoke. It is "
        "easy to propose impossible remedies.",
        "The mice assembled to deliberate how they might protect themselves against the cat. After many had "
        "spoken in vain a youngster rose with a plan. What makes our enemy so dangerous, he explained to the "
        "council, is that she sneaks up on us without a sound.",
    ),
    Chapter(
        "A Crow, half-dead with thirst, came upon a Pitcher which had once been full of water; but when the "
        "Crow put its beak into the mouth of the Pitcher he found that only very little water was left in it, "
        "and that he could not reach far enough down to get at it. He tried, and he tried, but at last had to "
        "give up in despair.",
        "Then a thought came to him, and he took a pebble and dropped it into the Pitcher. Then he took "
        "another pebble and dropped it into the Pitcher. At last, at last, he saw the water mount up near "
        "him, and after casting in a few more pebbles he was able to quench his thirst and save his life. "
        "Little by little does the trick.",
        "Parched with thirst a crow discovered a jug. There was still a drop of water at the bottom, but the "
        "neck was narrow and the bird's beak too short for it. After many attempts the crow lost hope.",
    ),
    Chapter(
        "There was once a young Shepherd Boy who tended his sheep at the foot of a mountain near a dark "
        "forest. It was rather lonely for him all day, so he thought upon a plan by which he could get a "
        "little company and some excitement. He rushed down towards the village calling out Wolf, Wolf, and "
        "the villagers came out to meet him, and some of them stopped with him for a considerable time.",
        "But shortly after this a Wolf actually did come out from the forest, and began to worry the sheep, "
        "and the boy of course cried out Wolf, Wolf, still louder than before. But this time the villagers, "
        "who had been fooled twice before, thought the boy was again deceiving them, and nobody stirred to "
        "come to his help. So the Wolf made a good meal off the boy's flock.",
        "A lad who herded sheep below the mountain felt bored by himself. To bring people up to him he ran to "
        "the villagers and screamed that a wolf was coming, and indeed they hurried out and a number kept him "
        "company for a while.",
    ),
    Chapter(
        "It happened that a Dog had got a piece of meat and was carrying it home in his mouth to eat it in "
        "peace. Now on his way home he had to cross a plank lying across a running brook.",
        "As he crossed, he looked down and saw his own shadow reflected in the water beneath. Thinking it was "
        "another dog with another piece of meat, he made up his mind to have that also. So he made a snap at "
        "the shadow in the water, but as he opened his mouth the piece of meat fell out, dropped into the "
        "water and was never seen more.",
        "With meat between his teeth a dog trotted homewards, looking forward to an undisturbed meal. His "
        "road led over a stream on a narrow board.",
    ),
)

QUOTED = (2, 5, 8, 12)

STRANGERS = (
    "Press and hold both keys until the display blinks. The thermostat then looks for the boiler; pairing "
    "takes about a minute, and the relay clicks when it has succeeded.",
    "The insurer is not liable for damage caused by gradual seepage. Claims are to be reported in writing "
    "within seven days, with photographs and an estimate of the repair.",
    "Cream the butter with brown sugar, beat in one egg and fold in oats and raisins. Bake for twelve minutes "
    "until the rim is golden and let the biscuits cool on the tray.",
    "Turnover in the wholesale division shrank while licensing grew by a fifth. Net debt was halved, and "
    "management confirmed its guidance for the full year.",
    "Photons of ultraviolet light eject electrons from the zinc plate. Their energy depends on the frequency "
    "alone, which the wave theory of the nineteenth century could not explain.",
    "She won the second set on a tie-break and then double-faulted twice. Rain stopped play at four all, and "
    "the semi-final will be resumed on court one at noon.",
    "A thread that waits for a lock yields its slice to the scheduler. Priority inversion is avoided by "
    "lending the waiter's priority to the holder until the mutex is released.",
    "Trains to the coast are delayed because of a signal failure. Tickets are valid on the ferry as well; "
    "please keep them for the inspection at the barrier.",
    "The sonata's exposition is repeated, the development wanders through remote keys, and in the "
    "recapitulation the second subject returns in the tonic major.",
    "The mayor cut the ribbon of the new library. It has no reading room in the old sense but studios, a "
    "recording booth and a terrace where laptops may be borrowed.",
    "Soak the cuttings in rooting powder and set them in damp perlite under glass. After five weeks pot them "
    "singly, shade them at noon and pinch out the tips.",
    "Veterans of the regiment met at the cenotaph. A bugler played, the names were read aloud, and "
    "schoolchildren laid poppies on the steps.",
)

REMARKS = (
    "My nurse used to tell it at bedtime, always with a different ending.",
    "To be read to the girls when they count their wages in advance.",
    "This one made me cry as a child, I cannot say why.",
    "Found again in the almanac, between the tides and the postage.",
)
