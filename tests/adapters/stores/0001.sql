PRAGMA page_size = 16384;
PRAGMA application_id = 1801548897;
PRAGMA user_version = 0;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE annotations (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	paragraph_id TEXT, 
	paragraph_hash TEXT, 
	known_by TEXT, 
	extra TEXT NOT NULL, 
	CONSTRAINT pk_annotations PRIMARY KEY (story_id, episode_id, ordinal), 
	CONSTRAINT fk_annotations_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_annotations_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "annotations" VALUES('港町','ep-2',0,NULL,NULL,'["凪","潮"]','{"by":"作者"}');
INSERT INTO "annotations" VALUES('港町','ep-2',1,'p3','6a34e235cd7d6971150a365899ad761b',NULL,'{}');
CREATE TABLE characters (
	story_id TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	extra TEXT NOT NULL, 
	CONSTRAINT pk_characters PRIMARY KEY (story_id, character_id), 
	CONSTRAINT fk_characters_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "characters" VALUES('港町','潮',0,'{"voice":"低い声"}');
INSERT INTO "characters" VALUES('港町','凪',1,'{}');
INSERT INTO "characters" VALUES('港町','伊作',2,'{}');
INSERT INTO "characters" VALUES('harbour','mara',0,'{}');
INSERT INTO "characters" VALUES('harbour','finn',1,'{}');
CREATE TABLE episode_versions (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	title TEXT, 
	text TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_episode_versions PRIMARY KEY (story_id, episode_id, version), 
	CONSTRAINT fk_episode_versions_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_episode_versions_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "episode_versions" VALUES('港町','初め',1,'霧の朝','港に古い鐘がある。

潮は鐘の舌を井戸に隠した。','2025-01-06T09:00:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-2',1,'井戸','凪は井戸のそばで濡れた縄を見つけた。

凪は潮に縄のことを聞いた。

町では祭りの支度が始まった。','2025-01-06T09:00:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-3',1,NULL,'鐘は船で隣の島へ運ばれた。

潮は凪に井戸のことを打ち明けた。

伊作は赤い旗を見た。','2025-01-06T09:00:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-4',1,NULL,'伊作と浜野凪が渡し場にいた。

「明日の船は出ない」と伊作は言った。

（嘘だ）と浜野凪は思った。

＊

誰かの足音が遠ざかった。

犬が吠えた。','2025-01-06T09:00:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-5',1,NULL,'【知る者：潮】潮は夢で鐘の音を聞いた。','2025-01-06T09:00:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-3',2,NULL,'鐘は船で隣の島へ運ばれた。

潮は凪に井戸のことを打ち明けた。

伊作は白い旗を見た。','2025-01-06T09:20:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-3',3,'船','鐘は船で隣の島へ運ばれた。

潮は凪に井戸のことを打ち明けた。

伊作は青い旗を見た。','2025-01-06T09:30:00+00:00');
INSERT INTO "episode_versions" VALUES('harbour','ep-1',1,'Part 1','The old ferry lies in the harbour.

[[known-by: mara]] Mara sold its anchor to the smith.','2025-01-06T10:00:00+00:00');
INSERT INTO "episode_versions" VALUES('harbour','ep-2',1,'Part 2','[[known-by: mara, finn]] Finn found the bill of the smith in a boot.

The market opened in the rain.','2025-01-06T10:10:00+00:00');
INSERT INTO "episode_versions" VALUES('harbour','ep-3',1,'Part 3','Finn asked Mara about the anchor.

“I sold it,” said Mara. “Tell nobody.”

Who had seen the smith?','2025-01-06T10:20:00+00:00');
INSERT INTO "episode_versions" VALUES('harbour','gull',1,NULL,'A gull stole a fish.

Mara laughed.','2025-01-06T10:30:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-7',1,NULL,'【知る者：潮】封印札の話。

鐘は鳴らない。','2025-01-06T10:40:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-8',1,NULL,'【知る者：凪】封印札が井戸にあった。','2025-01-06T10:40:00+00:00');
INSERT INTO "episode_versions" VALUES('港町','ep-9',1,NULL,'【知る者：全員】浜野凪は新しい鐘を注文した。

汐見潮も喜んだ。','2025-01-06T10:40:00+00:00');
CREATE TABLE episodes (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	no INTEGER NOT NULL, 
	order_key INTEGER NOT NULL, 
	title TEXT, 
	text TEXT NOT NULL, 
	text_hash TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	fact_source TEXT NOT NULL, 
	paragraphs TEXT, 
	base TEXT NOT NULL, 
	extra TEXT NOT NULL, 
	notes_hash TEXT NOT NULL, 
	rows_hash TEXT NOT NULL, 
	annotated BOOLEAN NOT NULL, 
	wanted TEXT NOT NULL, 
	visible BOOLEAN NOT NULL, 
	deleted_at TEXT, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_episodes PRIMARY KEY (story_id, episode_id), 
	CONSTRAINT fk_episodes_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "episodes" VALUES('港町','初め',1,4294967296,'霧の朝','港に古い鐘がある。

潮は鐘の舌を井戸に隠した。','c501eeee4b753cc3133571b949a36b7a',1,'supplied',NULL,'[]','{"weather":"霧"}','dac43c7cd6398cdec3206b9337f83f21','7bea9e9fcad3121a143745706c9cd630',0,'15160a5b59bbe16dc4037e01a13ff269',1,NULL,'2025-01-06T09:00:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-2',2,8589934592,'井戸','凪は井戸のそばで濡れた縄を見つけた。

凪は潮に縄のことを聞いた。

町では祭りの支度が始まった。','87ca420201e2784bc0c9ad43b84c27ff',1,'extracted','[["p1","凪は井戸のそばで濡れた縄を見つけた。"],["p2","凪は潮に縄のことを聞いた。"],["p3","町では祭りの支度が始まった。"]]','["df4cccb202d065d84bdd72a13398ddf5","0ebaf1485beded2e8c4a32fba08e22c3","6a34e235cd7d6971150a365899ad761b"]','{}','edc8e87cce68e5dbbfa26e49f9249dfc','6eed34fadc1745ce154629c594171a34',1,'02076ab3f5d080a8df6aa38d1413275a',1,NULL,'2025-01-06T09:00:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-3',3,12884901888,'船','鐘は船で隣の島へ運ばれた。

潮は凪に井戸のことを打ち明けた。

伊作は青い旗を見た。','3fe67646d52969a2918be102de295924',3,'supplied',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','835be3c8f0b7c87d5b8c2a8281a8ff4d',0,'78fb2625bac7af24b1bceae26f092caf',1,NULL,'2025-01-06T09:00:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-4',4,17179869184,NULL,'伊作と浜野凪が渡し場にいた。

「明日の船は出ない」と伊作は言った。

（嘘だ）と浜野凪は思った。

＊

誰かの足音が遠ざかった。

犬が吠えた。','e935246236540e0912b4bd05b4541750',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','af1903501f643f14e43a72136a62a86d',0,'b4b2a0f5415723c1534edecf6b814516',1,NULL,'2025-01-06T09:00:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-5',5,21474836480,NULL,'【知る者：潮】潮は夢で鐘の音を聞いた。','0bf79c06ad3adacde6a3f106fead2bf1',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',1,'d99659f8260174de193ec824ef23355e',0,'2025-01-06T09:20:00+00:00','2025-01-06T09:00:00+00:00');
INSERT INTO "episodes" VALUES('harbour','ep-1',1,4294967296,'Part 1','The old ferry lies in the harbour.

[[known-by: mara]] Mara sold its anchor to the smith.','051b3420967d322bbb7b03de06dc29f1',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',1,'0ad16c8eaf0ba767c2eeb8eda3acdf66',1,NULL,'2025-01-06T10:00:00+00:00');
INSERT INTO "episodes" VALUES('harbour','ep-2',2,8589934592,'Part 2','[[known-by: mara, finn]] Finn found the bill of the smith in a boot.

The market opened in the rain.','3095ecb75c01f5d2c629ed53f554f72c',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','0c9239b170da232d1aaf197bd0c42afa',1,'73f388878ffbc5f00146df983ba92f6f',1,NULL,'2025-01-06T10:10:00+00:00');
INSERT INTO "episodes" VALUES('harbour','ep-3',6,12884901888,'Part 3','Finn asked Mara about the anchor.

“I sold it,” said Mara. “Tell nobody.”

Who had seen the smith?','e4253556395b3440395bc52cbf39183d',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',0,'dfe268041ce10992682789c860774c28',1,NULL,'2025-01-06T10:20:00+00:00');
INSERT INTO "episodes" VALUES('harbour','gull',3,10737418240,NULL,'A gull stole a fish.

Mara laughed.','dba3800a89ffce441ab080430e98d138',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',0,'fde6a4ad246fcb7e9ebbcf8144f607a1',1,NULL,'2025-01-06T10:30:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-7',7,25769803776,NULL,'【知る者：潮】封印札の話。

鐘は鳴らない。','83ba913bf1acfd57e7b401e161eae7cf',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',1,'9969181cf1cddc0861560cfc1267d6be',0,NULL,'2025-01-06T10:40:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-8',8,30064771072,NULL,'【知る者：凪】封印札が井戸にあった。','f8dee6a433de8842676a884dc33991c5',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',1,'2869ef77620c37acdc637187f100c8ba',0,NULL,'2025-01-06T10:40:00+00:00');
INSERT INTO "episodes" VALUES('港町','ep-9',9,34359738368,NULL,'【知る者：全員】浜野凪は新しい鐘を注文した。

汐見潮も喜んだ。','5cb325c24d94daf60e310d88f422ba44',1,'extracted',NULL,'[]','{}','dac43c7cd6398cdec3206b9337f83f21','77607dfc36efa9a5c81be3bd90266d14',1,'9f53d4cdc7ca309d8cedc94d6deb344c',0,NULL,'2025-01-06T10:40:00+00:00');
CREATE TABLE extractions (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	drafts TEXT NOT NULL, 
	CONSTRAINT pk_extractions PRIMARY KEY (story_id, episode_id), 
	CONSTRAINT fk_extractions_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_extractions_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "extractions" VALUES('港町','ep-2','f6451e9c8df89ff036ed45d1e8d9d337','[[0,18,"[\"凪\",\"潮\"]","annotation",false,3],[20,33,"[\"凪\",\"潮\"]","annotation",false,3],[35,49,null,"annotation",false,3]]');
INSERT INTO "extractions" VALUES('港町','ep-4','d97585e7ed7cd316bf167b014a972d66','[[0,14,"[\"伊作\",\"凪\"]","scene",false,3],[16,34,"[\"伊作\",\"凪\"]","speaker",false,3],[36,49,"[\"凪\"]","inner",false,3],[54,66,"[]","unrecognised",false,3],[68,74,"[]","unrecognised",false,3]]');
INSERT INTO "extractions" VALUES('港町','ep-5','32d1d6bca125b3adfc1f229a611acd39','[[7,19,"[\"潮\"]","annotation",false,3]]');
INSERT INTO "extractions" VALUES('harbour','ep-1','344a2907416220218c6cc54e16d4d2e6','[[0,34,"[]","unrecognised",false,3],[55,89,"[\"mara\"]","annotation",false,3]]');
INSERT INTO "extractions" VALUES('harbour','ep-2','84bf2cbdfed616a640e63ad5fe5b2a88','[[25,68,"[\"finn\",\"mara\"]","annotation",false,3],[70,100,"[\"finn\"]","scene",false,3]]');
INSERT INTO "extractions" VALUES('harbour','ep-3','037fbedd644dbd5c6ba6bd35d8b4e1d9','[[0,33,"[\"finn\"]","scene",false,3],[35,58,"[\"finn\"]","scene",false,3],[59,73,"[\"finn\"]","scene",false,3],[75,98,"[\"finn\"]","scene",false,3]]');
INSERT INTO "extractions" VALUES('harbour','gull','8cf9ac63bd5fbe5bbe4d3c274893629b','[[0,20,"[]","unrecognised",false,3],[22,35,"[]","unrecognised",false,3]]');
CREATE TABLE facts (
	story_id TEXT NOT NULL, 
	fact_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	quote TEXT, 
	quote_no INTEGER, 
	importance INTEGER NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	supersedes TEXT, 
	told_from TEXT, 
	known_by TEXT, 
	extra TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (story_id, fact_id), 
	CONSTRAINT fk_facts_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_facts_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "facts" VALUES('港町','f1','初め','supplied',0,'港に古い鐘がある。','古い鐘がある',NULL,3,0,NULL,NULL,NULL,'{"mood":"静か"}');
INSERT INTO "facts" VALUES('港町','f2','初め','supplied',1,'潮は鐘の舌を井戸に隠した。',NULL,NULL,5,1,NULL,NULL,'["潮"]','{}');
INSERT INTO "facts" VALUES('港町','f3','ep-3','supplied',0,'鐘は隣の島にある。',NULL,NULL,3,0,'f1',NULL,NULL,'{}');
INSERT INTO "facts" VALUES('港町','f4','ep-3','supplied',1,'凪は潮から鐘の舌のありかを聞いた。','鐘の舌を井戸に隠した',1,3,0,NULL,'f2','["凪"]','{}');
INSERT INTO "facts" VALUES('港町','f5','ep-3','supplied',2,'伊作は赤い旗を見た。','赤い旗を見た',NULL,3,0,NULL,NULL,'["伊作","凪"]','{}');
INSERT INTO "facts" VALUES('港町','f6','ep-3','supplied',3,'旗は赤い。','赤い旗',NULL,3,0,NULL,NULL,NULL,'{}');
INSERT INTO "facts" VALUES('港町','f-2a9ac6d312f0cad9','初め','hand',0,'伊作は鐘の音が嫌いだ。',NULL,NULL,2,0,NULL,'f1','["伊作"]','{}');
INSERT INTO "facts" VALUES('港町','f-7fd11b698601aa0f','ep-4','hand',0,'伊作は船が出ないと嘘をついた。','（嘘だ）と浜野凪は思った。',NULL,4,0,NULL,NULL,'["凪"]','{}');
INSERT INTO "facts" VALUES('harbour','f-655d64640da5894d','ep-2','hand',0,'Finn fears the smith.',NULL,NULL,3,1,NULL,NULL,'["finn"]','{}');
CREATE TABLE memories (
	"key" INTEGER NOT NULL, 
	space TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	live BOOLEAN NOT NULL, 
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	memory_id TEXT NOT NULL, 
	fact_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	flagged BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	fact_index INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	text_hash TEXT NOT NULL, 
	terms TEXT NOT NULL, 
	quote TEXT, 
	quote_no INTEGER, 
	quote_start INTEGER, 
	quote_end INTEGER, 
	importance INTEGER NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	supersedes TEXT, 
	told_from TEXT, 
	fields TEXT NOT NULL, 
	CONSTRAINT pk_memories PRIMARY KEY ("key"), 
	CONSTRAINT fk_memories_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "memories" VALUES(20,'story:港町','潮',21474836480,0,'港町','ep-5','vec:ep-5:v1:character:潮:0','f-604f2ee99e03869f','fact','extracted','annotation',0,1,0,7,'潮は夢で鐘の音を聞いた。','0c6bdda3ddf2f62dc5ea0eac5b1639ed','
潮は

は夢

夢で

で鐘

鐘の

の音

音を

を聞

聞い

潮

夢

鐘

音

聞
','潮は夢で鐘の音を聞いた。',NULL,7,19,3,0,NULL,NULL,'{"episode_id":"ep-5","scope":"character","character_id":"潮","kind":"fact","importance":3,"pinned":false,"fact_id":"f-604f2ee99e03869f","text":"潮は夢で鐘の音を聞いた。","_extra":[]}');
INSERT INTO "memories" VALUES(21,'story:港町','world',12884901888,1,'港町','ep-3','vec:ep-3:v3:world:world:0','f3','fact','supplied','supplied',0,3,0,0,'鐘は隣の島にある。','8ea6083032cd9035acf2d5fa5bd80735','
鐘は

は隣

隣の

の島

島に

にあ

鐘

隣

島
',NULL,NULL,NULL,NULL,3,0,'f1',NULL,'{"episode_id":"ep-3","scope":"world","character_id":"world","kind":"fact","importance":3,"pinned":false,"fact_id":"f3","text":"鐘は隣の島にある。","_extra":[]}');
INSERT INTO "memories" VALUES(22,'story:港町','凪',12884901888,1,'港町','ep-3','vec:ep-3:v3:character:凪:0','f4','fact','supplied','supplied',0,3,0,1,'凪は潮から鐘の舌のありかを聞いた。','53ebbec940f4d914ee0893ffa41f400f','
凪は

は潮

潮か

ら鐘

鐘の

の舌

舌の

のあ

あり

りか

かを

を聞

聞い

凪

潮

鐘

舌

聞
','鐘の舌を井戸に隠した',1,NULL,NULL,3,0,NULL,'f2','{"episode_id":"ep-3","scope":"character","character_id":"凪","kind":"fact","importance":3,"pinned":false,"fact_id":"f4","text":"凪は潮から鐘の舌のありかを聞いた。","_extra":[]}');
INSERT INTO "memories" VALUES(23,'story:港町','',12884901888,0,'港町','ep-3','vec:ep-3:v3:review:review:0','f5','fact','supplied','lost_quote',0,3,0,2,'伊作は赤い旗を見た。','dd5279463b28f7ba247d510f6420cbca','
伊作

作は

は赤

赤い

い旗

旗を

を見

見た

伊

作

赤

旗

見
','赤い旗を見た',NULL,NULL,NULL,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f5","text":"伊作は赤い旗を見た。","_extra":[]}');
INSERT INTO "memories" VALUES(24,'story:港町','',12884901888,0,'港町','ep-3','vec:ep-3:v3:review:review:1','f6','fact','supplied','lost_quote',0,3,1,3,'旗は赤い。','31941220a761c21f151497a4a4c645aa','
旗は

は赤

赤い

旗

赤
','赤い旗',NULL,NULL,NULL,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f6","text":"旗は赤い。","_extra":[]}');
INSERT INTO "memories" VALUES(25,'story:港町','world',4294967296,1,'港町','初め','vec:初め:v1:world:world:0','f1','fact','supplied','supplied',0,1,0,0,'港に古い鐘がある。','b1a90184732252768d68ccbe59a26f4f','
港に

に古

古い

い鐘

鐘が

があ

港

古

鐘
','古い鐘がある',NULL,2,8,3,0,NULL,NULL,'{"mood":"静か","episode_id":"初め","scope":"world","character_id":"world","kind":"fact","importance":3,"pinned":false,"fact_id":"f1","text":"港に古い鐘がある。","_extra":["mood"]}');
INSERT INTO "memories" VALUES(26,'story:港町','潮',4294967296,1,'港町','初め','vec:初め:v1:character:潮:0','f2','fact','supplied','supplied',0,1,0,1,'潮は鐘の舌を井戸に隠した。','0b622e3fe089a0a7db66c7256b137932','
潮は

は鐘

鐘の

の舌

舌を

を井

井戸

戸に

に隠

隠し

潮

鐘

舌

井

戸

隠
',NULL,NULL,NULL,NULL,5,1,NULL,NULL,'{"episode_id":"初め","scope":"character","character_id":"潮","kind":"fact","importance":5,"pinned":true,"fact_id":"f2","text":"潮は鐘の舌を井戸に隠した。","_extra":[]}');
INSERT INTO "memories" VALUES(27,'story:港町','伊作',4294967296,1,'港町','初め','vec:初め:v0:character:伊作:0','f-2a9ac6d312f0cad9','fact','hand','supplied',0,0,0,0,'伊作は鐘の音が嫌いだ。','fbd6e0f3e5919cf8802f5b2744027c62','
伊作

作は

は鐘

鐘の

の音

音が

が嫌

嫌い

いだ

伊

作

鐘

音

嫌
',NULL,NULL,NULL,NULL,2,0,NULL,'f1','{"episode_id":"初め","scope":"character","character_id":"伊作","kind":"fact","importance":2,"pinned":false,"fact_id":"f-2a9ac6d312f0cad9","text":"伊作は鐘の音が嫌いだ。","_extra":[]}');
INSERT INTO "memories" VALUES(35,'story:港町','凪',8589934592,1,'港町','ep-2','vec:ep-2:v1:character:凪:0','f-fdf01b38ce66b792','fact','extracted','annotation',0,1,0,0,'凪は井戸のそばで濡れた縄を見つけた。','df4cccb202d065d84bdd72a13398ddf5','
凪は

は井

井戸

戸の

のそ

そば

ばで

で濡

濡れ

た縄

縄を

を見

見つ

つけ

けた

凪

井

戸

濡

縄

見
','凪は井戸のそばで濡れた縄を見つけた。',NULL,0,18,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"凪","kind":"fact","importance":3,"pinned":false,"fact_id":"f-fdf01b38ce66b792","text":"凪は井戸のそばで濡れた縄を見つけた。","_extra":[]}');
INSERT INTO "memories" VALUES(36,'story:港町','潮',8589934592,1,'港町','ep-2','vec:ep-2:v1:character:潮:0','f-fdf01b38ce66b792','fact','extracted','annotation',0,1,0,0,'凪は井戸のそばで濡れた縄を見つけた。','df4cccb202d065d84bdd72a13398ddf5','
凪は

は井

井戸

戸の

のそ

そば

ばで

で濡

濡れ

た縄

縄を

を見

見つ

つけ

けた

凪

井

戸

濡

縄

見
','凪は井戸のそばで濡れた縄を見つけた。',NULL,0,18,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"潮","kind":"fact","importance":3,"pinned":false,"fact_id":"f-fdf01b38ce66b792","text":"凪は井戸のそばで濡れた縄を見つけた。","_extra":[]}');
INSERT INTO "memories" VALUES(37,'story:港町','凪',8589934592,1,'港町','ep-2','vec:ep-2:v1:character:凪:1','f-d39e8aef10a80825','fact','extracted','annotation',0,1,1,20,'凪は潮に縄のことを聞いた。','0ebaf1485beded2e8c4a32fba08e22c3','
凪は

は潮

潮に

に縄

縄の

のこ

とを

を聞

聞い

凪

潮

縄

聞
','凪は潮に縄のことを聞いた。',NULL,20,33,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"凪","kind":"fact","importance":3,"pinned":false,"fact_id":"f-d39e8aef10a80825","text":"凪は潮に縄のことを聞いた。","_extra":[]}');
INSERT INTO "memories" VALUES(38,'story:港町','潮',8589934592,1,'港町','ep-2','vec:ep-2:v1:character:潮:1','f-d39e8aef10a80825','fact','extracted','annotation',0,1,1,20,'凪は潮に縄のことを聞いた。','0ebaf1485beded2e8c4a32fba08e22c3','
凪は

は潮

潮に

に縄

縄の

のこ

とを

を聞

聞い

凪

潮

縄

聞
','凪は潮に縄のことを聞いた。',NULL,20,33,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"潮","kind":"fact","importance":3,"pinned":false,"fact_id":"f-d39e8aef10a80825","text":"凪は潮に縄のことを聞いた。","_extra":[]}');
INSERT INTO "memories" VALUES(39,'story:港町','伊作',17179869184,1,'港町','ep-4','vec:ep-4:v1:character:伊作:0','f-267d9831d6f53756','fact','extracted','scene',0,1,0,0,'伊作と浜野凪が渡し場にいた。','545761053efd68d606d2cdb75fa03c55','
伊作

作と

と浜

浜野

野凪

凪が

が渡

渡し

し場

場に

にい

伊

作

浜

野

凪

渡

場
','伊作と浜野凪が渡し場にいた。',NULL,0,14,3,1,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"伊作","kind":"fact","importance":3,"pinned":true,"fact_id":"f-267d9831d6f53756","text":"伊作と浜野凪が渡し場にいた。","_extra":[]}');
INSERT INTO "memories" VALUES(40,'story:港町','凪',17179869184,1,'港町','ep-4','vec:ep-4:v1:character:凪:0','f-267d9831d6f53756','fact','extracted','scene',0,1,0,0,'伊作と浜野凪が渡し場にいた。','545761053efd68d606d2cdb75fa03c55','
伊作

作と

と浜

浜野

野凪

凪が

が渡

渡し

し場

場に

にい

伊

作

浜

野

凪

渡

場
','伊作と浜野凪が渡し場にいた。',NULL,0,14,3,1,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"凪","kind":"fact","importance":3,"pinned":true,"fact_id":"f-267d9831d6f53756","text":"伊作と浜野凪が渡し場にいた。","_extra":[]}');
INSERT INTO "memories" VALUES(41,'story:港町','伊作',17179869184,1,'港町','ep-4','vec:ep-4:v1:character:伊作:1','f-b89f71c8a6221f18','fact','extracted','speaker',0,1,1,16,'「明日の船は出ない」と伊作は言った。','4fdb9e2daea266155a9e4d3eaac40de9','
明日

日の

の船

船は

は出

出な

ない

明

日

船

出

と伊

伊作

作は

は言

言っ

伊

作

言
','「明日の船は出ない」と伊作は言った。',NULL,16,34,3,0,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"伊作","kind":"fact","importance":3,"pinned":false,"fact_id":"f-b89f71c8a6221f18","text":"「明日の船は出ない」と伊作は言った。","_extra":[]}');
INSERT INTO "memories" VALUES(42,'story:港町','凪',17179869184,1,'港町','ep-4','vec:ep-4:v1:character:凪:1','f-b89f71c8a6221f18','fact','extracted','speaker',0,1,1,16,'「明日の船は出ない」と伊作は言った。','4fdb9e2daea266155a9e4d3eaac40de9','
明日

日の

の船

船は

は出

出な

ない

明

日

船

出

と伊

伊作

作は

は言

言っ

伊

作

言
','「明日の船は出ない」と伊作は言った。',NULL,16,34,3,0,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"凪","kind":"fact","importance":3,"pinned":false,"fact_id":"f-b89f71c8a6221f18","text":"「明日の船は出ない」と伊作は言った。","_extra":[]}');
INSERT INTO "memories" VALUES(43,'story:港町','',17179869184,0,'港町','ep-4','vec:ep-4:v1:review:review:0','f-563245467eac485b','fact','extracted','unrecognised',0,1,0,54,'誰かの足音が遠ざかった。','4882f6514c2180e6dc9a5047118e9363','
誰か

かの

の足

足音

音が

が遠

遠ざ

ざか

かっ

誰

足

音

遠
','誰かの足音が遠ざかった。',NULL,54,66,3,0,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f-563245467eac485b","text":"誰かの足音が遠ざかった。","_extra":[]}');
INSERT INTO "memories" VALUES(44,'story:港町','凪',17179869184,1,'港町','ep-4','vec:ep-4:v0:character:凪:0','f-7fd11b698601aa0f','fact','hand','supplied',0,0,0,0,'伊作は船が出ないと嘘をついた。','4019aa54e3b8ad6d781533c524319777','
伊作

作は

は船

船が

が出

出な

ない

いと

と嘘

嘘を

をつ

つい

伊

作

船

出

嘘
','（嘘だ）と浜野凪は思った。',NULL,36,49,4,0,NULL,NULL,'{"episode_id":"ep-4","scope":"character","character_id":"凪","kind":"fact","importance":4,"pinned":false,"fact_id":"f-7fd11b698601aa0f","text":"伊作は船が出ないと嘘をついた。","_extra":[]}');
INSERT INTO "memories" VALUES(45,'story:harbour','',4294967296,0,'harbour','ep-1','vec:ep-1:v1:review:review:0','f-0301f7038c5618ba','fact','extracted','unrecognised',0,1,0,0,'The old ferry lies in the harbour.','b85c886e7de1bb3180c7739069f967c2','
old

ferri

lie

harbour
','The old ferry lies in the harbour.',NULL,0,34,3,0,NULL,NULL,'{"episode_id":"ep-1","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f-0301f7038c5618ba","text":"The old ferry lies in the harbour.","_extra":[]}');
INSERT INTO "memories" VALUES(46,'story:harbour','mara',4294967296,1,'harbour','ep-1','vec:ep-1:v1:character:mara:0','f-e3d90ec7b23619fe','fact','extracted','annotation',0,1,0,55,'Mara sold its anchor to the smith.','8386bb0284517c253126f41eb878f60d','
mara

sold

anchor

smith
','Mara sold its anchor to the smith.',NULL,55,89,3,0,NULL,NULL,'{"episode_id":"ep-1","scope":"character","character_id":"mara","kind":"fact","importance":3,"pinned":false,"fact_id":"f-e3d90ec7b23619fe","text":"Mara sold its anchor to the smith.","_extra":[]}');
INSERT INTO "memories" VALUES(50,'story:harbour','finn',12884901888,1,'harbour','ep-3','vec:ep-3:v1:character:finn:0','f-a9611534a9dc6061','fact','extracted','scene',0,1,0,0,'Finn asked Mara about the anchor.','9ef7dbf0e46cd37b99f757563b2a914e','
finn

ask

mara

about

anchor
','Finn asked Mara about the anchor.',NULL,0,33,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-a9611534a9dc6061","text":"Finn asked Mara about the anchor.","_extra":[]}');
INSERT INTO "memories" VALUES(51,'story:harbour','finn',12884901888,1,'harbour','ep-3','vec:ep-3:v1:character:finn:1','f-80dd17a62fa10201','fact','extracted','scene',0,1,1,35,'“I sold it,” said Mara.','6173f79a9cdc719879f6000ca28d1386','
sold

said

mara
','“I sold it,” said Mara.',NULL,35,58,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-80dd17a62fa10201","text":"“I sold it,” said Mara.","_extra":[]}');
INSERT INTO "memories" VALUES(52,'story:harbour','finn',12884901888,1,'harbour','ep-3','vec:ep-3:v1:character:finn:2','f-e25cab42b878100d','fact','extracted','scene',0,1,2,59,'“Tell nobody.”','6a7527da7022fe2946b1ad6c42e272c6','
tell

nobodi
','“Tell nobody.”',NULL,59,73,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-e25cab42b878100d","text":"“Tell nobody.”","_extra":[]}');
INSERT INTO "memories" VALUES(53,'story:harbour','finn',12884901888,1,'harbour','ep-3','vec:ep-3:v1:character:finn:3','f-ae0cd6eb2ff6d92b','fact','extracted','scene',0,1,3,75,'Who had seen the smith?','398b59bf55e8e1d142e3cb5e3843b482','
seen

smith
','Who had seen the smith?',NULL,75,98,3,0,NULL,NULL,'{"episode_id":"ep-3","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-ae0cd6eb2ff6d92b","text":"Who had seen the smith?","_extra":[]}');
INSERT INTO "memories" VALUES(54,'story:harbour','',10737418240,0,'harbour','gull','vec:gull:v1:review:review:0','f-d540fc6fff993105','fact','extracted','unrecognised',0,1,0,0,'A gull stole a fish.','cf6236ace5b4f2c0e70200fcd4f06c21','
gull

stole

fish
','A gull stole a fish.',NULL,0,20,3,0,NULL,NULL,'{"episode_id":"gull","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f-d540fc6fff993105","text":"A gull stole a fish.","_extra":[]}');
INSERT INTO "memories" VALUES(55,'story:harbour','',10737418240,0,'harbour','gull','vec:gull:v1:review:review:1','f-6c96789e03e8f216','fact','extracted','unrecognised',0,1,1,22,'Mara laughed.','3e0e23e5a6e9da9dbc97a9132630deac','
mara

laugh
','Mara laughed.',NULL,22,35,3,0,NULL,NULL,'{"episode_id":"gull","scope":"character","character_id":"","kind":"fact","importance":3,"pinned":false,"fact_id":"f-6c96789e03e8f216","text":"Mara laughed.","_extra":[]}');
INSERT INTO "memories" VALUES(56,'story:harbour','finn',8589934592,1,'harbour','ep-2','vec:ep-2:v1:character:finn:0','f-cd67c8b985a34647','fact','extracted','annotation',0,1,0,25,'Finn found the bill of the smith in a boot.','faae016a3aa214fd391e2750869799e1','
finn

found

bill

smith

boot
','Finn found the bill of the smith in a boot.',NULL,25,68,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-cd67c8b985a34647","text":"Finn found the bill of the smith in a boot.","_extra":[]}');
INSERT INTO "memories" VALUES(57,'story:harbour','mara',8589934592,1,'harbour','ep-2','vec:ep-2:v1:character:mara:0','f-cd67c8b985a34647','fact','extracted','annotation',0,1,0,25,'Finn found the bill of the smith in a boot.','faae016a3aa214fd391e2750869799e1','
finn

found

bill

smith

boot
','Finn found the bill of the smith in a boot.',NULL,25,68,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"mara","kind":"fact","importance":3,"pinned":false,"fact_id":"f-cd67c8b985a34647","text":"Finn found the bill of the smith in a boot.","_extra":[]}');
INSERT INTO "memories" VALUES(58,'story:harbour','finn',8589934592,1,'harbour','ep-2','vec:ep-2:v1:character:finn:1','f-7fe5bf06f365a5aa','fact','extracted','scene',0,1,1,70,'The market opened in the rain.','e02a4ae3cb2a7051a141bc966b42ddcf','
market

open

rain
','The market opened in the rain.',NULL,70,100,3,0,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":false,"fact_id":"f-7fe5bf06f365a5aa","text":"The market opened in the rain.","_extra":[]}');
INSERT INTO "memories" VALUES(59,'story:harbour','finn',8589934592,1,'harbour','ep-2','vec:ep-2:v0:character:finn:0','f-655d64640da5894d','fact','hand','supplied',0,0,0,0,'Finn fears the smith.','922be3c5b67cf608e3e417c18c24d684','
finn

fear

smith
',NULL,NULL,NULL,NULL,3,1,NULL,NULL,'{"episode_id":"ep-2","scope":"character","character_id":"finn","kind":"fact","importance":3,"pinned":true,"fact_id":"f-655d64640da5894d","text":"Finn fears the smith.","_extra":[]}');
CREATE TABLE memory_deltas (
	story_id TEXT NOT NULL, 
	delta_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	scope TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	facts TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	deleted_at TEXT, 
	CONSTRAINT pk_memory_deltas PRIMARY KEY (story_id, delta_id), 
	CONSTRAINT fk_memory_deltas_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_memory_deltas_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v1:world:world','ep-3',1,'world','world','[["f3","鐘は隣の島にある。"],["f6","旗は赤い。"]]','e7021cfb0e78b3e5b7c7fc6c1e7c1aee','2025-01-06T09:30:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v1:character:凪','ep-3',1,'character','凪','[["f4","凪は潮から鐘の舌のありかを聞いた。"],["f5","伊作は赤い旗を見た。"]]','b62594e5a83c85bcfc3b9e4a5238e043','2025-01-06T09:30:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v1:character:伊作','ep-3',1,'character','伊作','[["f5","伊作は赤い旗を見た。"]]','40b161c6d4be4136c6b8a6d897587b85','2025-01-06T09:30:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-5:v1:character:潮','ep-5',1,'character','潮','[["f-604f2ee99e03869f","潮は夢で鐘の音を聞いた。"]]','9b6a46dc194668ff34e2c1dfc4b17241','2025-01-06T09:20:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v2:world:world','ep-3',2,'world','world','[["f3","鐘は隣の島にある。"]]','01e0055103d6125718c8fae385be82cb','2025-01-06T09:40:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v2:character:凪','ep-3',2,'character','凪','[["f4","凪は潮から鐘の舌のありかを聞いた。"]]','c56238cd5ad1cd007385ade367b95b9d','2025-01-06T09:40:00+00:00');
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v3:world:world','ep-3',3,'world','world','[["f3","鐘は隣の島にある。"]]','01e0055103d6125718c8fae385be82cb',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-3:v3:character:凪','ep-3',3,'character','凪','[["f4","凪は潮から鐘の舌のありかを聞いた。"]]','c56238cd5ad1cd007385ade367b95b9d',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:初め:v1:world:world','初め',1,'world','world','[["f1","港に古い鐘がある。"]]','3c4b260be93e5272d7ab82116dce5ee7',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:初め:v1:character:潮','初め',1,'character','潮','[["f2","潮は鐘の舌を井戸に隠した。"]]','1c7226688446e730d4f76666c1a5cd7e',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:初め:v0:character:伊作','初め',0,'character','伊作','[["f-2a9ac6d312f0cad9","伊作は鐘の音が嫌いだ。"]]','067245921e6cd7e769dd98c0f94eafb9',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-2:v1:character:凪','ep-2',1,'character','凪','[["f-fdf01b38ce66b792","凪は井戸のそばで濡れた縄を見つけた。"],["f-d39e8aef10a80825","凪は潮に縄のことを聞いた。"]]','1e498a1caa7b03df60f0aa2d56714b5a',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-2:v1:character:潮','ep-2',1,'character','潮','[["f-fdf01b38ce66b792","凪は井戸のそばで濡れた縄を見つけた。"],["f-d39e8aef10a80825","凪は潮に縄のことを聞いた。"]]','4bc7fa4fa952ab19d38c44fdabe4a812',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-4:v1:character:伊作','ep-4',1,'character','伊作','[["f-267d9831d6f53756","伊作と浜野凪が渡し場にいた。"],["f-b89f71c8a6221f18","「明日の船は出ない」と伊作は言った。"]]','0fd727761013d0a1816516be2c9be962',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-4:v1:character:凪','ep-4',1,'character','凪','[["f-267d9831d6f53756","伊作と浜野凪が渡し場にいた。"],["f-b89f71c8a6221f18","「明日の船は出ない」と伊作は言った。"]]','04921db89fa0f7645517d6b44f8d4d34',NULL);
INSERT INTO "memory_deltas" VALUES('港町','delta:ep-4:v0:character:凪','ep-4',0,'character','凪','[["f-7fd11b698601aa0f","伊作は船が出ないと嘘をついた。"]]','b8a804204a1f22098b7936034d2971ec',NULL);
INSERT INTO "memory_deltas" VALUES('harbour','delta:ep-1:v1:character:mara','ep-1',1,'character','mara','[["f-e3d90ec7b23619fe","Mara sold its anchor to the smith."]]','9b9c561ce958884c4665550c4a360a05',NULL);
INSERT INTO "memory_deltas" VALUES('harbour','delta:ep-3:v1:character:finn','ep-3',1,'character','finn','[["f-a9611534a9dc6061","Finn asked Mara about the anchor."],["f-80dd17a62fa10201","“I sold it,” said Mara."],["f-e25cab42b878100d","“Tell nobody.”"],["f-ae0cd6eb2ff6d92b","Who had seen the smith?"]]','74eed81e1a8806a513ed2b98bbc4b72d',NULL);
INSERT INTO "memory_deltas" VALUES('harbour','delta:ep-2:v1:character:finn','ep-2',1,'character','finn','[["f-cd67c8b985a34647","Finn found the bill of the smith in a boot."],["f-7fe5bf06f365a5aa","The market opened in the rain."]]','04633757d6ecd4c23d5a8d34b7082ce2',NULL);
INSERT INTO "memory_deltas" VALUES('harbour','delta:ep-2:v1:character:mara','ep-2',1,'character','mara','[["f-cd67c8b985a34647","Finn found the bill of the smith in a boot."]]','768c998e18c6862fc9b1ebc09de4c8fd',NULL);
INSERT INTO "memory_deltas" VALUES('harbour','delta:ep-2:v0:character:finn','ep-2',0,'character','finn','[["f-655d64640da5894d","Finn fears the smith."]]','348f1075656840df8c716ef1e9b359b8',NULL);
CREATE TABLE memory_vectors (
	memory_key INTEGER NOT NULL, 
	story_id TEXT NOT NULL, 
	vector_id TEXT NOT NULL, 
	delta_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	scope TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	fact_index INTEGER NOT NULL, 
	embedder_id TEXT NOT NULL, 
	text_hash TEXT NOT NULL, 
	vector BLOB NOT NULL, 
	CONSTRAINT pk_memory_vectors PRIMARY KEY (memory_key), 
	CONSTRAINT fk_memory_vectors_memory_key FOREIGN KEY(memory_key) REFERENCES memories ("key") ON DELETE CASCADE
);
INSERT INTO "memory_vectors" VALUES(20,'港町','vec:ep-5:v1:character:潮:0','delta:ep-5:v1:character:潮','ep-5',1,'character','潮',0,'hash-1','0c6bdda3ddf2f62dc5ea0eac5b1639ed',X'00000000000000000000000000000000000000000000000000000000D89C753D00000000000000005FAD4CBE000000005FAD4CBE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005FAD4C3E000000000000000000000000D89C75BD000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000029460FBE000000000000000000000000000000000000000000000000000000005FAD4C3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005FAD4CBE000000005FAD4C3E0000000000000000000000005FAD4CBE00000000000000000000000000000000000000000000000000000000000000005FAD4C3E00000000000000005FAD4C3E000000000000000000000000000000005FAD4CBE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005FAD4C3E0000000000000000000000005FAD4CBE5FAD4C3E00000000000000000000000000000000000000000000000000000000000000005FAD4CBE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005FADCCBE0000000000000000000000005FAD4C3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D89C75BD0000000000000000000000000000000000000000000000000000000000000000000000005FAD4CBE000000000000000000000000D89C75BD00000000000000005FAD4CBE00000000D89C75BD00000000D89C753D00000000000000000000000000000000000000000000000000000000000000000000000000000000000000005FAD4CBE000000005FAD4C3E0000000000000000000000000000000000000000000000000000000000000000000000005FAD4C3E00000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(21,'港町','vec:ep-3:v3:world:world:0','delta:ep-3:v3:world:world','ep-3',3,'world','world',0,'hash-1','8ea6083032cd9035acf2d5fa5bd80735',X'00000000000000000000000000000000000000000000000000000000000000000000000056DFA53D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8A3E00000000000000000000000000000000000000001D3A8A3E0000000056DFA53D0000000000000000000000001D3A8A3E00000000000000000000000000000000000000001D3A8ABE000000000000000000000000000000000000000000000000000000001D3A8A3E000000000000000000000000000000000000000000000000000000000000000056DFA5BD000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8A3E00000000000000000000000056DFA53D1D3A8A3E000000000000000000000000000000001D3A8A3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8ABE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA5BD000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA53D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8ABE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA5BD0000000000000000000000000000000056DFA5BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8A3E000000000000000000000000000000001D3A8A3E0000000000000000000000000000000000000000000000001D3A8A3E000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(22,'港町','vec:ep-3:v3:character:凪:0','delta:ep-3:v3:character:凪','ep-3',3,'character','凪',0,'hash-1','53ebbec940f4d914ee0893ffa41f400f',X'0000000000000000A6FE773D00000000000000000000000000000000A6FE773D0000000000000000000000008AA94EBE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008AA94EBE00000000000000000000000000000000000000008AA94E3E000000000000000000000000A6FE77BD000000000000000000000000000000008AA94E3E000000008AA94E3E000000000000000000000000A6FE77BDA6FE773D00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008AA94EBE000000000000000000000000000000000000000000000000000000008AA94EBE000000000000000000000000000000000000000000000000000000008AA94EBE000000000000000000000000A6FE77BD00000000000000000000000000000000000000008AA94EBE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008AA94E3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008AA94E3E000000000000000000000000A6FE773D8AA94EBE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A6FE77BD000000000000000000000000000000000000000000000000000000008AA94E3E0000000000000000000000000000000000000000000000008AA94EBE0000000000000000000000000000000000000000000000000000000000000000000000008AA94EBE00000000000000000000000000000000000000000000000000000000000000008AA94EBE8AA94E3E00000000000000008AA94EBE0000000000000000000000009A5486BE0000000000000000000000000000000000000000A6FE773D0000000000000000000000000000000000000000A6FE77BD00000000000000008AA94E3E00000000000000000000000000000000000000000000000000000000000000000000000000000000D75BAFBD0000000000000000A6FE77BDA6FE77BDA6FE77BD00000000A6FE773D000000000000000000000000000000003EF7EDBD00000000000000000000000000000000000000000000000000000000000000008AA94E3E00000000000000008AA94E3E00000000000000000000000000000000000000000000000000000000000000000000000000000000A6FE77BD000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(25,'港町','vec:初め:v1:world:world:0','delta:初め:v1:world:world','初め',1,'world','world',0,'hash-1','b1a90184732252768d68ccbe59a26f4f',X'0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8A3E00000000000000000000000000000000000000000000000000000000000000001D3A8ABE56DFA53D0000000056DFA5BD000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA53D00000000000000000000000000000000000000000000000000000000000000001D3A8A3E0000000000000000000000000000000000000000000000001D3A8A3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8ABE00000000000000000000000000000000000000000000000056DFA53D0000000000000000000000001D3A8A3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA53D000000001D3A8ABE0000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA5BD00000000000000000000000000000000000000001D3A8ABE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA53D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8ABE00000000000000000000000000000000000000000000000000000000000000001D3A8ABE00000000000000001D3A8A3E1D3A8ABE000000000000000000000000000000000000000000000000000000000000000000000000000000001D3A8A3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000056DFA53D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(26,'港町','vec:初め:v1:character:潮:0','delta:初め:v1:character:潮','初め',1,'character','潮',0,'hash-1','0b622e3fe089a0a7db66c7256b137932',X'000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B5483E09B548BE09B5483E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE0000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE0000000000000000000000000000000009B548BE0000000000000000000000000000000000000000000000000000000000000000000000000000000009B5483E00000000000000000000000000000000000000000000000009B5483E0000000000000000000000000000000000000000000000000000000009B548BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE09B5483EB97E0CBE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B5483E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003ED970BD0000000009B5483E00000000000000000000000009B548BE0000000000000000000000003ED9703D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE000000000000000009B5483E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE00000000000000000000000009B548BE00000000000000000000000000000000000000000000000009B548BE000000000000000000000000000000000000000009B548BE00000000000000003ED970BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE3ED970BD000000000000000000000000000000003ED970BD000000003ED9703D0000000000000000000000000000000009B548BE00000000000000000000000009B548BE000000000000000009B548BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000009B548BE');
INSERT INTO "memory_vectors" VALUES(27,'港町','vec:初め:v0:character:伊作:0','delta:初め:v0:character:伊作','初め',0,'character','伊作',0,'hash-1','fbd6e0f3e5919cf8802f5b2744027c62',X'0000000000000000876AD0BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006F197A3D000000006F197ABD00000000000000000000000000000000876A50BE000000007278873E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E00000000000000000000000000000000000000000000000000000000000000006F197ABD00000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E00000000000000000000000000000000000000000000000000000000876A503E876A503E0000000000000000876A503E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E000000000000000000000000876A50BE000000000000000000000000876A503E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A503E00000000876A50BE000000000000000000000000000000000000000000000000876A50BE0000000000000000876A50BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000876A50BE0000000000000000000000006F197ABD00000000876A50BE876A50BE000000006F197ABD000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(35,'港町','vec:ep-2:v1:character:凪:0','delta:ep-2:v1:character:凪','ep-2',1,'character','凪',0,'hash-1','df4cccb202d065d84bdd72a13398ddf5',X'0000000000000000D0B8393E000000000000000000000000C6DD5E3D00000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E00000000D0B8393E00000000D0B8393ED0B8393E00000000000000000000000000000000C6DD5EBD000000000000000000000000D0B8393E00000000D0B839BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005E0102BE00000000000000000000000000000000000000000000000000000000D0B839BEC6DD5EBD000000000000000000000000D0B839BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D0B839BE00000000000000000000000000000000000000000000000000000000D0B8393ED0B839BE00000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBDC6DD5E3DD0B8393E00000000000000000000000000000000417071BED0B8393E00000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E00000000D0B839BE00000000D0B839BE00000000D0B8393E00000000000000000000000000000000D0B8393E00000000000000000000000000000000D0B8393E00000000000000000000000000000000C6DD5EBD000000000000000000000000000000000000000000000000000000000000000000000000D0B839BE000000000000000000000000D0B8393ED0B839BE4170713E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5E3D00000000C6DD5E3DD0B8393E00000000C6DD5EBDC6DD5E3D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBD00000000000000000000000000000000C6DD5EBD000000001C979D3D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5E3D0000000000000000000000000000000000000000C6DD5E3D');
INSERT INTO "memory_vectors" VALUES(36,'港町','vec:ep-2:v1:character:潮:0','delta:ep-2:v1:character:潮','ep-2',1,'character','潮',0,'hash-1','df4cccb202d065d84bdd72a13398ddf5',X'0000000000000000D0B8393E000000000000000000000000C6DD5E3D00000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E00000000D0B8393E00000000D0B8393ED0B8393E00000000000000000000000000000000C6DD5EBD000000000000000000000000D0B8393E00000000D0B839BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005E0102BE00000000000000000000000000000000000000000000000000000000D0B839BEC6DD5EBD000000000000000000000000D0B839BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D0B839BE00000000000000000000000000000000000000000000000000000000D0B8393ED0B839BE00000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBDC6DD5E3DD0B8393E00000000000000000000000000000000417071BED0B8393E00000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D0B8393E00000000D0B839BE00000000D0B839BE00000000D0B8393E00000000000000000000000000000000D0B8393E00000000000000000000000000000000D0B8393E00000000000000000000000000000000C6DD5EBD000000000000000000000000000000000000000000000000000000000000000000000000D0B839BE000000000000000000000000D0B8393ED0B839BE4170713E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5E3D00000000C6DD5E3DD0B8393E00000000C6DD5EBDC6DD5E3D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5EBD00000000000000000000000000000000C6DD5EBD000000001C979D3D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C6DD5E3D0000000000000000000000000000000000000000C6DD5E3D');
INSERT INTO "memory_vectors" VALUES(37,'港町','vec:ep-2:v1:character:凪:1','delta:ep-2:v1:character:凪','ep-2',1,'character','凪',1,'hash-1','0ebaf1485beded2e8c4a32fba08e22c3',X'00000000000000000000000000000000000000000000000000000000B4E5873DB4E587BD00000000D77E62BE0000000000000000000000000000000000000000B4E5073E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E00000000B4E5873D00000000B4E587BD00000000000000000000000000000000D77E623E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E00000000000000000000000000000000D77E62BE00000000000000000000000000000000000000000000000000000000D77E62BE00000000000000000000000000000000000000000000000000000000B4E587BD000000000000000000000000000000000000000000000000000000000000000000000000D77E62BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E62BEB4E5873D000000000000000000000000000000000000000000000000B4E587BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E0000000000000000D77E62BED77E623E0000000000000000D77E62BE000000000000000000000000D77E62BE000000000000000000000000000000000000000000000000B4E587BD0000000000000000000000000000000000000000D77EE2BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B4E587BD000000000000000000000000000000000000000000000000D77E62BE000000000000000000000000000000000000000000000000B4E587BD00000000000000000000000000000000B4E587BD00000000B4E5873D00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(38,'港町','vec:ep-2:v1:character:潮:1','delta:ep-2:v1:character:潮','ep-2',1,'character','潮',1,'hash-1','0ebaf1485beded2e8c4a32fba08e22c3',X'00000000000000000000000000000000000000000000000000000000B4E5873DB4E587BD00000000D77E62BE0000000000000000000000000000000000000000B4E5073E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E00000000B4E5873D00000000B4E587BD00000000000000000000000000000000D77E623E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E00000000000000000000000000000000D77E62BE00000000000000000000000000000000000000000000000000000000D77E62BE00000000000000000000000000000000000000000000000000000000B4E587BD000000000000000000000000000000000000000000000000000000000000000000000000D77E62BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E62BEB4E5873D000000000000000000000000000000000000000000000000B4E587BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E0000000000000000D77E62BED77E623E0000000000000000D77E62BE000000000000000000000000D77E62BE000000000000000000000000000000000000000000000000B4E587BD0000000000000000000000000000000000000000D77EE2BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B4E587BD000000000000000000000000000000000000000000000000D77E62BE000000000000000000000000000000000000000000000000B4E587BD00000000000000000000000000000000B4E587BD00000000B4E5873D00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D77E623E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(39,'港町','vec:ep-4:v1:character:伊作:0','delta:ep-4:v1:character:伊作','ep-4',1,'character','伊作',0,'hash-1','545761053efd68d606d2cdb75fa03c55',X'00000000000000004A43683D000000000000000000000000000000004A43683D698D41BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE000000000000000000000000000000000000000000000000000000000000000000000000000000004A43E83D000000004A4368BD000000000000000000000000000000000000000000000000698D413E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E0000000000000000000000000000000000000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000698D41BE00000000000000000000000000000000698D41BE0000000000000000698D41BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E00000000698D413E0000000000000000698D41BE000000000000000000000000000000004A43683D00000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E698D41BE00000000698D413E00000000698D413E4A43683D0000000000000000000000000000000000000000000000000000000000000000000000004A43683D698D41BE00000000698DC13E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE000000000000000000000000000000004A43683D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE698D413E0000000000000000000000000000000000000000000000000000000000000000698D413E698D41BE00000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(40,'港町','vec:ep-4:v1:character:凪:0','delta:ep-4:v1:character:凪','ep-4',1,'character','凪',0,'hash-1','545761053efd68d606d2cdb75fa03c55',X'00000000000000004A43683D000000000000000000000000000000004A43683D698D41BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE000000000000000000000000000000000000000000000000000000000000000000000000000000004A43E83D000000004A4368BD000000000000000000000000000000000000000000000000698D413E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E0000000000000000000000000000000000000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000698D41BE00000000000000000000000000000000698D41BE0000000000000000698D41BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E00000000698D413E0000000000000000698D41BE000000000000000000000000000000004A43683D00000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E698D41BE00000000698D413E00000000698D413E4A43683D0000000000000000000000000000000000000000000000000000000000000000000000004A43683D698D41BE00000000698DC13E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D413E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE000000000000000000000000000000004A43683D000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000698D41BE698D413E0000000000000000000000000000000000000000000000000000000000000000698D413E698D41BE00000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(41,'港町','vec:ep-4:v1:character:伊作:1','delta:ep-4:v1:character:伊作','ep-4',1,'character','伊作',1,'hash-1','4fdb9e2daea266155a9e4d3eaac40de9',X'B2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000D6B8603D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000D6B8603DB2443BBED6B860BD00000000B2443B3E00000000B2443B3EB2443BBE00000000B2443B3E0000000000000000B2443BBEB2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000B2443BBE00000000000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000B2443BBE000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000D6B860BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D6B860BD0000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000B2443B3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000B2443B3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000000000000000000000000000000000000000000000000000D6B860BD00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE00000000D6B860BD00000000B2443BBEB2443B3E0000000007E79EBD00000000D6B8603DB2443B3E000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(42,'港町','vec:ep-4:v1:character:凪:1','delta:ep-4:v1:character:凪','ep-4',1,'character','凪',1,'hash-1','4fdb9e2daea266155a9e4d3eaac40de9',X'B2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000D6B8603D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000D6B8603DB2443BBED6B860BD00000000B2443B3E00000000B2443B3EB2443BBE00000000B2443B3E0000000000000000B2443BBEB2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000B2443BBE00000000000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000B2443BBE000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000D6B860BD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000D6B860BD0000000000000000000000000000000000000000B2443B3E0000000000000000000000000000000000000000B2443B3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E0000000000000000B2443B3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E00000000000000000000000000000000000000000000000000000000D6B860BD00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443BBE00000000D6B860BD00000000B2443BBEB2443B3E0000000007E79EBD00000000D6B8603DB2443B3E000000000000000000000000000000000000000000000000B2443BBE00000000000000000000000000000000000000000000000000000000000000000000000000000000B2443B3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(44,'港町','vec:ep-4:v0:character:凪:0','delta:ep-4:v0:character:凪','ep-4',0,'character','凪',0,'hash-1','4019aa54e3b8ad6d781533c524319777',X'00000000AC9C7FBD0000000000000000000000000000000000000000AC9C7F3D00000000000000008F02553E00000000AC9C7F3D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000641B153E00000000000000008F02553E000000000000000000000000AC9CFF3D00000000B7BEB4BD000000008F02553E000000008F02553E8F0255BE000000008F02553E0000000000000000000000008F02553E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000AC9C7F3D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008F0255BE00000000000000000000000000000000000000000000000000000000000000008F0255BE0000000000000000000000000000000000000000AC9C7F3D000000008F02553E000000000000000000000000000000008F02553EAC9C7FBD000000000000000000000000000000000000000000000000AC9C7F3D0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008F0255BE00000000000000000000000000000000000000008F0255BE00000000000000000000000000000000000000000000000000000000000000008F0255BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008F02553E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000AC9C7FBD0000000000000000000000000000000000000000000000008F02553E000000000000000000000000000000000000000000000000000000000000000000000000000000008F02553E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000AC9C7FBDAC9C7FBD00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008F0255BE0000000000000000AC9C7FBD00000000AC9C7F3D00000000000000000000000000000000000000008F0255BE000000008F0255BE0000000000000000000000000000000000000000000000008F0255BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(46,'harbour','vec:ep-1:v1:character:mara:0','delta:ep-1:v1:character:mara','ep-1',1,'character','mara',0,'hash-1','8386bb0284517c253126f41eb878f60d',X'77D6083E0000000077D608BE77D6083E0000000000000000000000000000000000000000000000000000000077D608BE000000000000000077D608BE00000000000000000000000000000000000000000000000077D608BE00000000000000000000000077D608BE0000000077D608BE0000000077D6083E00000000000000000000000077D608BE77D6083E000000000000000000000000000000000000000077D6083E00000000000000000000000077D688BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000077D6083E000000000000000077D6083E000000000000000077D608BE0000000077D6083E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000077D6083E0000000000000000000000000000000000000000000000000000000077D6083E77D608BE00000000000000000000000000000000000000000000000077D6083E77D6083E0000000000000000000000000000000077D6083E0000000000000000000000000000000000000000000000000000000077D6083E000000000000000000000000000000000000000000000000000000000000000077D6083E0000000077D6083E0000000000000000000000000000000077D608BE000000000000000000000000000000000000000000000000000000000000000077D608BE00000000000000000000000077D6083E00000000000000000000000077D608BE0000000000000000000000000000000000000000000000000000000077D608BE000000000000000000000000000000000000000077D608BE0000000000000000000000000000000000000000000000000000000000000000000000000000000077D6083E000000000000000077D608BE77D608BE0000000077D608BE0000000077D608BE77D6083E77D6083E00000000000000000000000077D608BE77D608BE0000000077D608BE000000000000000077D6083E77D6083E000000000000000000000000000000000000000000000000000000000000000077D6083E00000000000000000000000077D608BE00000000000000000000000077D6083E000000000000000000000000000000000000000077D6083E0000000000000000000000000000000000000000000000000000000000000000000000000000000077D608BE0000000000000000000000000000000077D608BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000077D6083E0000000077D6083E0000000000000000000000000000000077D6083E');
INSERT INTO "memory_vectors" VALUES(50,'harbour','vec:ep-3:v1:character:finn:0','delta:ep-3:v1:character:finn','ep-3',1,'character','finn',0,'hash-1','9ef7dbf0e46cd37b99f757563b2a914e',X'1A1C033E000000000000000000000000000000000000000000000000000000001A1C033E00000000000000001A1C03BE0000000000000000000000001A1C033E0000000000000000000000000000000000000000000000001A1C83BE00000000000000001A1C03BE1A1C03BE1A1C03BE000000001A1C033E000000001A1C033E1A1C03BE1A1C03BE1A1C033E0000000000000000000000001A1C033E0000000000000000000000001A1C033E1A1C033E1A1C03BE000000000000000000000000000000000000000000000000000000000000000000000000000000001A1C03BE0000000000000000000000000000000000000000000000001A1C033E00000000000000001A1C03BE000000001A1C033E0000000000000000000000001A1C033E0000000000000000000000001A1C033E0000000000000000000000000000000000000000000000000000000000000000000000001A1C033E00000000000000000000000000000000000000000000000000000000000000001A1C03BE000000001A1C033E000000001A1C033E00000000000000000000000000000000000000000000000000000000000000001A1C033E000000000000000000000000000000000000000000000000000000001A1C033E1A1C03BE00000000000000000000000000000000000000000000000000000000000000001A1C033E1A1C033E1A1C033E0000000000000000000000001A1C03BE000000000000000000000000000000001A1C033E000000000000000000000000000000000000000000000000000000001A1C033E00000000000000001A1C033E00000000000000000000000000000000000000000000000000000000000000001A1C033E00000000000000000000000000000000000000001A1C03BE00000000000000000000000000000000000000000000000000000000000000001A1C03BE000000001A1C033E0000000000000000000000001A1C03BE00000000000000001A1C03BE1A1C03BE0000000000000000000000000000000000000000000000001A1C03BE0000000000000000000000001A1C03BE000000001A1C033E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001A1C03BE0000000000000000000000001A1C033E0000000000000000000000000000000000000000000000001A1C033E00000000000000000000000000000000000000001A1C03BE00000000000000001A1C03BE1A1C03BE000000000000000000000000000000000000000000000000000000001A1C033E000000001A1C03BE000000000000000000000000000000000000000000000000000000001A1C033E000000000000000000000000000000000000000000000000000000001A1C03BE1A1C033E');
INSERT INTO "memory_vectors" VALUES(51,'harbour','vec:ep-3:v1:character:finn:1','delta:ep-3:v1:character:finn','ep-3',1,'character','finn',1,'hash-1','6173f79a9cdc719879f6000ca28d1386',X'74EA373E0000000074EA37BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E00000000000000000000000074EA37BE74EA373E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA37BE00000000000000000000000074EA37BE0000000074EA373E0000000000000000000000000000000074EA373E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA37BE00000000000000000000000000000000000000000000000074EA373E000000000000000000000000000000000000000000000000000000000000000074EA373E0000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E0000000074EA373E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E74EA37BE0000000000000000000000000000000000000000000000000000000000000000000000000000000074EA37BE0000000074EA373E000000000000000000000000000000000000000074EA37BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E00000000000000000000000000000000000000000000000000000000000000000000000074EA373E00000000000000000000000000000000000000000000000074EA37BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E0000000000000000000000000000000000000000000000000000000074EA373E0000000074EA373E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074EA37BE0000000074EA37BE0000000074EA373E0000000000000000000000000000000000000000000000000000000000000000000000000000000074EA373E0000000074EA373E0000000000000000000000000000000074EA373E');
INSERT INTO "memory_vectors" VALUES(52,'harbour','vec:ep-3:v1:character:finn:2','delta:ep-3:v1:character:finn','ep-3',1,'character','finn',2,'hash-1','6a7527da7022fe2946b1ad6c42e272c6',X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E000000004A515ABE0000000000000000000000000000000000000000000000004A515ABE0000000000000000000000000000000000000000000000004A515ABE00000000000000000000000000000000000000004A515A3E0000000000000000000000000000000000000000000000000000000000000000000000004A515ABE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515ABE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E00000000000000000000000000000000000000004A515A3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515ABE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515ABE00000000000000004A515ABE4A515A3E000000000000000000000000000000004A515ABE000000004A515A3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000004A515A3E000000004A515A3E000000000000000000000000000000000000000000000000000000000000000000000000000000004A515ABE000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(53,'harbour','vec:ep-3:v1:character:finn:3','delta:ep-3:v1:character:finn','ep-3',1,'character','finn',3,'hash-1','398b59bf55e8e1d142e3cb5e3843b482',X'0000000004EC1FBE0000000004EC1FBE0000000000000000000000000000000000000000000000000000000000000000000000000000000004EC1FBE00000000000000000000000000000000000000000000000004EC1FBE000000000000000000000000000000000000000004EC1FBE0000000004EC1FBE0000000000000000000000000000000000000000000000000000000000000000000000000000000004EC1F3E000000000000000004EC1FBE04EC1FBE00000000000000000000000000000000000000000000000004EC1FBE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004EC1FBE00000000000000000000000000000000000000000000000004EC1FBE00000000000000000000000000000000000000000000000004EC1F3E000000000000000000000000000000000000000004EC1F3E0000000000000000000000000000000000000000000000000000000000000000000000000000000004EC1F3E000000000000000004EC1F3E000000000000000004EC1F3E000000000000000000000000000000000000000004EC1F3E00000000000000000000000000000000000000000000000004EC1F3E000000000000000004EC1FBE00000000000000000000000004EC1F3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004EC1FBE00000000000000000000000004EC1FBE0000000004EC1FBE0000000000000000000000000000000004EC1F3E0000000000000000000000000000000004EC1FBE0000000004EC1FBE000000000000000000000000000000000000000004EC1FBE000000000000000000000000000000000000000004EC1F3E0000000000000000000000000000000000000000000000000000000004EC1FBE000000000000000000000000000000000000000004EC1FBE000000000000000000000000000000000000000004EC1FBE04EC1FBE000000000000000004EC1F3E00000000000000000000000000000000000000000000000000000000000000000000000004EC1F3E00000000000000000000000000000000000000000000000004EC9F3E04EC1F3E0000000000000000000000000000000004EC1F3E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "memory_vectors" VALUES(56,'harbour','vec:ep-2:v1:character:finn:0','delta:ep-2:v1:character:finn','ep-2',1,'character','finn',0,'hash-1','faae016a3aa214fd391e2750869799e1',X'0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD000000003E13EEBD000000000000000000000000000000003E13EEBD00000000000000003E13EEBD0000000000000000355828BE000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D000000003E13EE3D000000003E13EE3D3E13EEBD3E13EEBD000000003E13EE3D00000000000000000000000000000000000000003E13EE3D000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EE3D00000000000000000000000000000000000000000000000000000000000000003E13EEBD000000000000000000000000000000003E13EE3D3E13EE3D00000000000000003E13EEBD000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D355828BE000000003E13EE3D000000003E13EE3D00000000000000000000000000000000000000000000000000000000000000003558283E0000000000000000000000003E13EE3D000000003E13EEBD3E13EE3D0000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD00000000000000003E13EE3D0000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EE3D000000003E13EEBD3558283E00000000000000003E13EEBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D000000000000000000000000000000003E13EEBD3E13EE3D3E13EEBD00000000000000000000000000000000000000003E13EEBD00000000355828BE000000003E13EEBD0000000000000000000000003E13EEBD00000000000000000000000000000000000000003E13EE3D3E13EE3D000000000000000000000000000000003E13EEBD000000000000000000000000000000003E13EE3D000000003E13EE3D355828BE3E13EE3D00000000000000003E136E3E00000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD000000000000000000000000000000003E13EEBD00000000000000003E13EE3D0000000000000000000000003E13EEBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E136EBE0000000000000000000000003E13EEBD00000000');
INSERT INTO "memory_vectors" VALUES(57,'harbour','vec:ep-2:v1:character:mara:0','delta:ep-2:v1:character:mara','ep-2',1,'character','mara',0,'hash-1','faae016a3aa214fd391e2750869799e1',X'0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD000000003E13EEBD000000000000000000000000000000003E13EEBD00000000000000003E13EEBD0000000000000000355828BE000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D000000003E13EE3D000000003E13EE3D3E13EEBD3E13EEBD000000003E13EE3D00000000000000000000000000000000000000003E13EE3D000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EE3D00000000000000000000000000000000000000000000000000000000000000003E13EEBD000000000000000000000000000000003E13EE3D3E13EE3D00000000000000003E13EEBD000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D355828BE000000003E13EE3D000000003E13EE3D00000000000000000000000000000000000000000000000000000000000000003558283E0000000000000000000000003E13EE3D000000003E13EEBD3E13EE3D0000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD00000000000000003E13EE3D0000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EE3D000000003E13EEBD3558283E00000000000000003E13EEBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E13EE3D000000000000000000000000000000003E13EEBD3E13EE3D3E13EEBD00000000000000000000000000000000000000003E13EEBD00000000355828BE000000003E13EEBD0000000000000000000000003E13EEBD00000000000000000000000000000000000000003E13EE3D3E13EE3D000000000000000000000000000000003E13EEBD000000000000000000000000000000003E13EE3D000000003E13EE3D355828BE3E13EE3D00000000000000003E136E3E00000000000000000000000000000000000000003E13EE3D3E13EEBD3E13EEBD000000000000000000000000000000003E13EEBD00000000000000003E13EE3D0000000000000000000000003E13EEBD0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003E136EBE0000000000000000000000003E13EEBD00000000');
INSERT INTO "memory_vectors" VALUES(58,'harbour','vec:ep-2:v1:character:finn:1','delta:ep-2:v1:character:finn','ep-2',1,'character','finn',1,'hash-1','e02a4ae3cb2a7051a141bc966b42ddcf',X'000000000000000000000000000000000000000000000000000000000000000000000000C3D0103E00000000000000000000000000000000000000000000000000000000000000000000000000000000C3D0103E00000000C3D0103E00000000000000000000000000000000CDCC4CBE0000000000000000000000000000000000000000C3D010BE0000000000000000000000000000000000000000000000000000000000000000C3D010BE00000000000000000000000000000000000000000000000000000000000000000000000000000000C3D010BE00000000000000000000000000000000000000000000000000000000C3D010BE000000000000000000000000000000000000000000000000000000000000000000000000C3D0103E0000000000000000000000000000000000000000C3D0103ECDCC4C3E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C3D0103E00000000CDCC4CBE000000000000000000000000C3D010BE000000000000000000000000C3D0103E000000000000000000000000C3D0103ECDCC4C3E00000000C3D010BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C3D010BE0000000000000000000000000000000000000000C3D0103EC3D010BE00000000C3D010BE000000000000000000000000000000000000000000000000C3D0103EC3D010BE0000000000000000C3D0103ECDCC4C3EC3D0103E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C3D0103EC3D0103EC3D010BE00000000000000000000000000000000000000000000000000000000C3D0103E00000000000000000000000000000000C3D0103E00000000000000000000000000000000000000000000000000000000CDCC4CBE00000000C3D010BE000000000000000000000000000000000000000000000000000000000000000000000000C3D010BE00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000CDCC4CBEC3D010BE00000000C3D010BEC3D0103E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C3D010BE00000000000000000000000000000000C3D0103E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000C3D010BEC3D0103E');
INSERT INTO "memory_vectors" VALUES(59,'harbour','vec:ep-2:v0:character:finn:0','delta:ep-2:v0:character:finn','ep-2',0,'character','finn',0,'hash-1','922be3c5b67cf608e3e417c18c24d684',X'00000000A2F823BE00000000000000000000000000000000000000000000000000000000000000000000000000000000A2F8233E00000000A2F823BE000000000000000000000000000000000000000000000000A2F823BE0000000000000000000000000000000000000000A2F823BE00000000000000000000000000000000000000000000000000000000000000000000000000000000A2F8233E00000000A2F8233E00000000A2F8233EA2F823BEA2F8A3BE00000000000000000000000000000000A2F823BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F823BE0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F823BE00000000A2F8233E00000000A2F8233E0000000000000000000000000000000000000000000000000000000000000000A2F8233E00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F8233E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F823BE0000000000000000A2F823BEA2F8233E00000000A2F823BE000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F823BE00000000000000000000000000000000000000000000000000000000A2F823BE00000000A2F823BE00000000A2F823BE000000000000000000000000A2F823BE0000000000000000000000000000000000000000A2F8233EA2F8233E00000000000000000000000000000000000000000000000000000000A2F8233E00000000000000000000000000000000A2F823BEA2F823BE0000000000000000000000000000000000000000000000000000000000000000A2F8233E000000000000000000000000000000000000000000000000A2F823BE0000000000000000A2F8233E000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000A2F823BE00000000000000000000000000000000A2F823BE00000000');
CREATE TABLE mentions (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	CONSTRAINT pk_mentions PRIMARY KEY (story_id, episode_id, character_id), 
	CONSTRAINT fk_mentions_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_mentions_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "mentions" VALUES('港町','ep-2','凪');
INSERT INTO "mentions" VALUES('港町','ep-2','潮');
INSERT INTO "mentions" VALUES('港町','ep-3','伊作');
INSERT INTO "mentions" VALUES('港町','ep-3','凪');
INSERT INTO "mentions" VALUES('港町','ep-5','潮');
INSERT INTO "mentions" VALUES('港町','初め','伊作');
INSERT INTO "mentions" VALUES('港町','初め','潮');
INSERT INTO "mentions" VALUES('港町','ep-4','凪');
INSERT INTO "mentions" VALUES('harbour','ep-1','mara');
INSERT INTO "mentions" VALUES('harbour','ep-2','finn');
INSERT INTO "mentions" VALUES('harbour','ep-2','mara');
INSERT INTO "mentions" VALUES('港町','ep-7','潮');
INSERT INTO "mentions" VALUES('港町','ep-8','凪');
CREATE TABLE names (
	story_id TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	since INTEGER NOT NULL, 
	known_by TEXT, 
	extra TEXT NOT NULL, 
	CONSTRAINT pk_names PRIMARY KEY (story_id, character_id, ordinal), 
	CONSTRAINT fk_names_story_id_character_id FOREIGN KEY(story_id, character_id) REFERENCES characters (story_id, character_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_names_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "names" VALUES('港町','潮',0,'alias','name','汐見潮',0,NULL,'{}');
INSERT INTO "names" VALUES('港町','潮',1,'alias','other','潮さん',0,NULL,'{}');
INSERT INTO "names" VALUES('港町','潮',2,'alias','nickname','夜の灯',2,'["凪","潮"]','{}');
INSERT INTO "names" VALUES('港町','潮',3,'alias','first_person','俺',0,NULL,'{}');
INSERT INTO "names" VALUES('港町','凪',0,'alias','name','浜野凪',0,NULL,'{}');
INSERT INTO "names" VALUES('港町','凪',1,'description','','灯台守の娘。',3,'["潮"]','{}');
INSERT INTO "names" VALUES('港町','伊作',0,'alias','name','伊作',0,NULL,'{}');
INSERT INTO "names" VALUES('港町','伊作',1,'description','','渡し船の船頭で、鐘が嫌い。',0,NULL,'{}');
INSERT INTO "names" VALUES('harbour','mara',0,'alias','name','Mara Quill',0,NULL,'{}');
INSERT INTO "names" VALUES('harbour','mara',1,'alias','other','the Widow',2,'["mara"]','{}');
INSERT INTO "names" VALUES('harbour','finn',0,'alias','name','Finn',0,NULL,'{}');
CREATE TABLE pins (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	fact_id TEXT NOT NULL, 
	CONSTRAINT pk_pins PRIMARY KEY (story_id, episode_id, fact_id), 
	CONSTRAINT fk_pins_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_pins_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "pins" VALUES('港町','ep-4','f-267d9831d6f53756');
CREATE TABLE stories (
	story_id TEXT NOT NULL, 
	title TEXT, 
	language TEXT NOT NULL, 
	language_told BOOLEAN NOT NULL, 
	embedder TEXT NOT NULL, 
	embedder_id TEXT NOT NULL, 
	extractor_id TEXT NOT NULL, 
	extra TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_stories PRIMARY KEY (story_id)
);
INSERT INTO "stories" VALUES('港町','港町の鐘','ja',0,'hash','hash-1','rules-1','{"author":"誰か"}',51,'2025-01-06T09:00:00+00:00');
INSERT INTO "stories" VALUES('harbour','The Anchor','en',0,'hash','hash-1','rules-1','{}',26,'2025-01-06T10:00:00+00:00');
CREATE TABLE suppressions (
	story_id TEXT NOT NULL, 
	episode_id TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	text_hash TEXT NOT NULL, 
	CONSTRAINT pk_suppressions PRIMARY KEY (story_id, episode_id, holder, text_hash), 
	CONSTRAINT fk_suppressions_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT fk_suppressions_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "suppressions" VALUES('港町','ep-4','凪','465b68ab6b3cf720cc903f906fd06faf');
INSERT INTO "suppressions" VALUES('港町','ep-2','world','6a34e235cd7d6971150a365899ad761b');
INSERT INTO "suppressions" VALUES('港町','ep-4','','ac10aedd9f95c6371c3d029dc4d74367');
CREATE TABLE traces (
	"key" INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	story_id TEXT NOT NULL, 
	character_id TEXT NOT NULL, 
	episode_no INTEGER NOT NULL, 
	verb TEXT NOT NULL, 
	filter TEXT, 
	slices TEXT NOT NULL, 
	ids TEXT NOT NULL, 
	CONSTRAINT pk_traces PRIMARY KEY ("key"), 
	CONSTRAINT fk_traces_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "traces" VALUES(1,'2025-03-02T08:00:00+00:00','港町','潮',4,'recall',NULL,'["world up to 3","潮 up to 3"]','["vec:初め:v1:character:潮:0","vec:ep-3:v3:world:world:0","vec:ep-2:v1:character:潮:1","vec:ep-2:v1:character:潮:0"]');
INSERT INTO "traces" VALUES(2,'2025-03-02T08:00:00+00:00','港町','凪',4,'recall','{"importance":{"$gte":2}}','["world up to 3","凪 up to 3"]','["vec:ep-3:v3:world:world:0","vec:ep-3:v3:character:凪:0","vec:ep-2:v1:character:凪:1","vec:ep-2:v1:character:凪:0"]');
INSERT INTO "traces" VALUES(3,'2025-03-02T08:00:00+00:00','harbour','mara',3,'known',NULL,'["world up to 2","mara up to 2"]','["vec:ep-1:v1:character:mara:0","vec:ep-2:v1:character:mara:0"]');
CREATE TABLE work (
	story_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	error TEXT, 
	CONSTRAINT pk_work PRIMARY KEY (story_id, kind, "key"), 
	CONSTRAINT fk_work_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "work" VALUES('港町','remember','初め','15160a5b59bbe16dc4037e01a13ff269','done',0,NULL);
INSERT INTO "work" VALUES('港町','remember','ep-2','02076ab3f5d080a8df6aa38d1413275a','done',0,NULL);
INSERT INTO "work" VALUES('港町','remember','ep-3','78fb2625bac7af24b1bceae26f092caf','done',0,NULL);
INSERT INTO "work" VALUES('港町','remember','ep-4','b4b2a0f5415723c1534edecf6b814516','done',0,NULL);
INSERT INTO "work" VALUES('港町','remember','ep-5','d99659f8260174de193ec824ef23355e','done',0,NULL);
INSERT INTO "work" VALUES('harbour','remember','ep-1','0ad16c8eaf0ba767c2eeb8eda3acdf66','done',0,NULL);
INSERT INTO "work" VALUES('harbour','remember','ep-2','73f388878ffbc5f00146df983ba92f6f','done',0,NULL);
INSERT INTO "work" VALUES('harbour','remember','ep-3','dfe268041ce10992682789c860774c28','done',0,NULL);
INSERT INTO "work" VALUES('harbour','remember','gull','fde6a4ad246fcb7e9ebbcf8144f607a1','done',0,NULL);
INSERT INTO "work" VALUES('港町','remember','ep-7','9969181cf1cddc0861560cfc1267d6be','dead',3,'told to refuse 封印札');
INSERT INTO "work" VALUES('港町','remember','ep-8','2869ef77620c37acdc637187f100c8ba','failed',1,'told to refuse 封印札');
CREATE UNIQUE INDEX uq_episodes_live_no ON episodes (story_id, no) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX uq_episodes_order_key ON episodes (story_id, order_key);
CREATE INDEX ix_traces_story ON traces (story_id, "key");
CREATE INDEX ix_facts_episode ON facts (story_id, episode_id);
CREATE INDEX ix_memories_episode ON memories (story_id, episode_id);
CREATE INDEX ix_memories_fact ON memories (story_id, fact_id);
CREATE INDEX ix_memories_gate ON memories (space, holder, live, position, fact_id);
CREATE INDEX ix_memories_supersedes ON memories (space, holder, position) WHERE supersedes IS NOT NULL;
CREATE UNIQUE INDEX uq_memories_id ON memories (space, memory_id);
CREATE INDEX ix_memory_deltas_episode ON memory_deltas (story_id, episode_id);
CREATE INDEX ix_memory_vectors_text ON memory_vectors (embedder_id, text_hash);
COMMIT;
