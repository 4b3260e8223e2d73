"""Strings that are hard for a tokenizer, chosen and random. Used by make_tokenizer_table.py."""
import unicodedata

FRENCH = [
    "Bonjour Kazeia", "Bonjour, je m'appelle Kazeia et je parle français.", "L’été dernier, nous étions à l’hôtel.",
    "Où est-ce que tu vas\u202f?", "Attention\u00a0: il fait 30\u00a0°C\u202f!", "«\u00a0Bonjour\u00a0», dit-elle.",
    "«\u202fÇa va\u202f?\u202f» — «\u202fOui\u202f!\u202f»", "1\u202f234\u202f567,89\u00a0€", "12\u00a0h\u00a030", "aujourd'hui, aujourd’hui",
    "C'EST L'HEURE D'ALLER À L'ÉCOLE", "Cœur, œuf, Æther, sœur", "naïve, maïs, Noël, ambiguë", "n°\u00a05, 1er, 2e, 3ᵉ, XIVᵉ siècle",
    "M. Dupont, Mme Durand, Dr Martin…", "de 9h à 18h30", "Le prix : 3,50€ (ttc).", "5 % ou 5\u00a0% ou 5\u202f%", "–\u00a0Oui.\u2009–\u2009Non.",
    "J'en ai marre, j’t’assure", "qu'il s'en aille", "Peut-être… peut-être pas !", "ÉTÉ\u00a0: le 21 juin", "1,5\u00a0km/h",
]
ENGLISH = [
    "Hello world", "I'm sure you're right, we've done it, they'll see he'd say it's Tom's", "I'M SURE YOU'RE RIGHT, WE'VE DONE IT",
    "I'Ll, You'Re, We'vE, it'S, he'D, i'M, don'T", "don't can't won't shan't", "'s't're've'm'll'd", "'S'T'RE'VE'M'LL'D", "'\u017f 'ſtop it'ſ",
    "'tis 'twas 'em", "rock'n'roll", "the '90s", "O'Reilly's", "''s", "'", "''", "' s", "'r 'v 'l", "'re'", "'lll", "'store", "x'sx", " 's",
    "it’s don’t we’re", "A.B.C.", "e.g. this, i.e. that", "Wait... what?!", "(parentheses) [brackets] {braces}", '"quoted"', "“curly” ‘quotes’ „low‟",
    "well-known re-entry", "snake_case camelCase PascalCase SCREAMING_CASE", "a_b__c", "$100.00, £5, ¥300, €2", "50% off!!!", "C++ C# F#", "#hashtag @user",
    "##", "# Title", "#a #b ## #!", "#version: 0.2", "#include <stdio.h>", "-1 +2 ±3 ×4 ÷5", "1/2 ½ ⅓ ¼", "2^10 = 1024", "x² + y³ = z⁴", "H₂O CO₂",
]
NUMBERS = [
    "1234567890", "3.14159", "1,000,000", "0x1F", "+33 6 12 34 56 78", "2024-01-31T12:34:56Z", "10:30", "1e-5", "٠١٢٣٤٥٦٧٨٩", "०१२३", "一二三", "Ⅳ Ⅻ ⅷ",
    "①②③", "１２３", "1a2b3c", "a1b2", "1 2  3   4", "12\t34\n56", "৳৫০", "𝟘𝟙𝟚", "v1.2.3-rc4", "IPv4 192.168.0.1", "1st 2nd 3rd", "٣٫١٤",
]
URLS = [
    "https://example.com/path?query=1&b=2#frag", "mailto:someone@example.com", "www.example.org", "C:\\Windows\\System32", "/usr/local/bin", "ftp://a.b/c",
    "http://xn--bcher-kva.example/%C3%A9", "<b>bold</b>", "&nbsp;&eacute;", "{\"key\": [1, 2, null]}", "if (a && b) { return !c; }", "a=b;c=d", "`code` ```block```",
    "SELECT * FROM t WHERE x='y';", "$HOME/.config", "\\n is not a newline", "regex: ^\\s+(?!\\S)$",
]
SPECIAL = [
    "<|im_end|>", "<|im_start|>assistant", "text <|im_end|> more", "<|endoftext|>", "<|im_start|>user\nhi<|im_end|>\n", "<tool_call>x</tool_call>", "<think>", "<|", "|>",
    "<|im_end", "<|fim_prefix|><|fim_suffix|>", "<tts_pad>", "<|audio_start|>",
]
SPACE = [
    "", " ", "  ", "   ", "\t", "\t\t", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", " \n", "\n ", " \n ", "  \n\n  ", "a\n", "a \n", "a\n b", "a \n b", "a\n\nb", "a\r\nb", "a\r\n\r\nb",
    " a", "  a", "   a", "a ", "a  ", "a   ", "a  b", "a   b", "\ta", "\t\ta", "a\tb", "a\t\tb", " \ta", "\t a", "a \t b", "\n\ta", "\n a", "\n  a", " .", "  .", ". ", ".\n", ".\n\n", ".\r\n", " .\n a",
    "!\n\n!", "?\n ?", "...\n...", " ...\n", "\x0b", "\x0c", "a\x0bb", "a\x0cb", "\x1c\x1d\x1e\x1f", "a\x1cb", "\x85", "a\x85b", "\u00a0", "\u00a0\u00a0", "\u00a0a", "a\u00a0b", "\u00a0 a", " \u00a0a", "a\u00a0\u00a0b",
    "\u202f", "a\u202fb", "\u202f!", "\u202f\n", "\u2009a", "\u2003\u2003x", "\u3000", "\u3000日本", "日\u3000本", "\u1680x", "\u205fx", "\u2028", "a\u2028b", "a\u2029\u2029b", "\u200b", "a\u200bb", "\u200b\u200b", "\ufeffbom", "\u2060x",
    "\u180e", "a\u180eb", "1 \n1", "1\n\n 1", "  1", "  \u00a01", "\n\n\n\n\n", " " * 17, "\n" * 17, "\t \t \t", "x" + " " * 40 + "y", "x\n" * 5, " \n" * 5, "\n " * 5,
]
COMPOSED = [
    "e\u0301te\u0301", "ca\u0300 et la\u0300", "franc\u0327ais", "A\u030a \u212b Å", "\u1e9b\u0323", "q\u0307\u0323", "q\u0323\u0307", "a\u0315\u0300\u05ae\u0300b", "a\u0323\u0302 ậ", "Vie\u0323\u0302t Nam", "Tiếng Việt có dấu",
    "o\u0308\u0304 ȫ", "\u0344", "\u0958 क\u093c", "\u0915\u093c", "\u2126 \u212a", "\ufb01 \ufb02 ﬀ", "\u0301", "\u0301a", " \u0301", "\n\u0301", "1\u0301", "a\u0301\u0301\u0301", "\u1100\u1161", "\u1100\u1161\u11a8", "\uac00\u11a8", "\uac00\u11a7",
    "\uac01\u11a8", "\u1100\u1161\u0300\u11a8", "한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", "\uf900 \ufa0e \ufa10", "\U0002f800", "\u304b\u3099 が", "\u30cf\u309a パ", "\uff76\uff9e", "\u09c7\u09be", "\u0b47\u0b56", "\u0dd9\u0dca\u0dcf", "\u1025\u102e",
    "\U00011099\U000110ba", "\U00011935\U00011930", "\U000105d2\u0307", "a\u1dfa\u0334", "a\U00011f41\u0334", "\u0f71\u0f72", "\u0fb2\u0f80", "\u0374 \u037e \u0387", "\u1fef \u1ffd", "\u2000\u2001", "\u2329\u232a", "\u0340\u0341", "\u0f73", "\u2adc",
]
EMOJI = [
    "😀", "😀😀", "Hello 😀!", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇫🇷🇩🇪", "❤️ ❤", "☺️", "1️⃣ 2️⃣", "#️⃣", "😂\n😂", "x😀y", "🧑🏿‍🚀 in space", "🤷🏻‍♀️?", "🫠🫡", "🪿🫎", "\U0001fae9", "©®™", "✅ ❌ ➡ ★", "🎵♪♫", "👁️‍🗨️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a\ufe0fb",
]
SCRIPTS = [
    "你好,世界!", "你好，世界！今天天气怎么样？", "他说：“好的。”", "《红楼梦》第１２回", "日本語のテキストです。", "カタカナ、ひらがな、漢字", "ｶﾀｶﾅ", "東京都 2024年", "안녕하세요, 세계!", "안녕 하세요 123", "สวัสดีชาวโลก", "ภาษาไทยไม่มีเว้นวรรค", "น้ำ กำ",
    "مرحبا بالعالم", "السَّلَامُ عَلَيْكُمْ", "؟ ، ؛", "سنة ٢٠٢٤", "שלום עולם", "שָׁלוֹם", "Привет, мир!", "Съешь ещё этих мягких французских булок", "йод и\u0306од", "Γειά σου Κόσμε", "Ἑλληνική γλῶσσα", "नमस्ते दुनिया", "क्षत्रिय ज्ञान", "বাংলা ভাষা",
    "தமிழ் மொழி", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "ગુજરાતી", "ਪੰਜਾਬੀ", "සිංහල", "မြန်မာဘာသာ", "ភាសាខ្មែរ", "ພາສາລາວ", "བོད་སྐད།", "ქართული ენა", "Հայերեն լեզու", "አማርኛ", "ᏣᎳᎩ", "ᓀᐦᐃᔭᐍᐏᐣ", "ᚠᚢᚦᚨᚱᚲ", "𐌰𐌱𐌲", "𓀀𓁐", "𝒜𝓁𝓅𝒽𝒶",
    "ﬁn ﬂy", "Straße ẞ", "İstanbul ıI", "Łódź, żółć", "Ångström Øre", "Příliš žluťoučký kůň", "Ünïcödé", "Español: ¿qué? ¡sí!", "Português: não, coração", "Dž ǆ ǅ", "Ǆ\u0301", "ʻOkina Hawaiʻi", "ŋ ɲ ʃ ʒ", "ˈfʁɑ̃sɛ", "\u02bcn ŉ",
    "\U00016d40\U00016d63", "\U0001e5d0\U0001e5d1", "\U00010d4a\U00010d50", "\U0002ebf0\U00030000\U00031350", "𠮷野家", "\u9fff\u3400", "\ua7da\ua7db\ua7dc", "\u1c89\u1c8a", "\u0870\u08c9",
]
ODD = [
    "\x00", "a\x00b", "\x01\x02", "\x7f", "\x80\x9f", "\u00ad", "co\u00adop", "\u061c", "\u200e\u200f", "\u202a\u202c", "\u2066x\u2069", "\ufffc\ufffd", "\ufdd0\uffff", "\U0010ffff", "\ue000\uf8ff", "\U000f0000", "\u0378", "\U000e0001", "\u034f", "a\u034f\u0301",
    "\u115f\u1160", "\u17b4\u17b5", "\u3164\uffa0", "zalgo: z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ab" * 50, "é" * 40, "字" * 40, "!" * 40, "!?" * 20, "-" * 80, "=" * 33, ".,;:" * 9, "😀" * 9, "\u0301" * 30,
    "Donaudampfschifffahrtsgesellschaftskapitän", "Pneumonoultramicroscopicsilicovolcanoconiosis", "anticonstitutionnellement", "supercalifragilisticexpialidocious", "AAAAaaaaAAAA", "tHiS iS wEiRd CaSe", "assistant", "assistant\n", "user\n", "system\n\n",
    "end.", "end .", "end.\n", "\"end.\"\n\n\"Next\"", "a,b,c", "a, b, c", "a ,b ,c", "(a)(b)", "a/b/c", "a-b-c", "a—b—c", "a–b", "…", "·", "•\ta", "• item\n• item", "1. one\n2. two\n", "- a\n- b\n", "> quote\n", "\\", "\\\\", "~ ^ `", "|a|b|", "°C °F", "§ 12 ¶", "µm Ω", "№ 5", "‰ ‱",
]

LETTERS = "eeeaaiioouustnrlcdmpéèêàçùœïôEAST'" + "’"
POOLS = [
    LETTERS, LETTERS, LETTERS, " ", "  \t", "\n", "\r\n", "\u00a0\u202f\u2009\u3000", "0123456789", ".,;:!?…«»\"'()[]{}<>|#@&%$€*+-=_/\\~^`°", "'sStTrReEvVmMlLdD\u017f ",
    "\u0300\u0301\u0302\u0303\u0308\u0327\u0323\u031b\u0345\u0334\u3099\u05b0\u094d\u1dfa\u0f72\u0f71", "\u1100\u1112\u1161\u1175\u11a7\u11a8\u11c2\uac00\uac01한국", "你好世界日本語漢字かなカナ", "สวัสดีน้ำกำ", "مرحباًسلّ٣؟", "нетда ёй", "नमस्तेक्षि", "😀👍🏽👨👩👧❤🇫🇷\u200d\ufe0f\u20e3", "\u200b\u200c\u2060\ufeff\u00ad\u200e",
]
WORDS = ["l'été", "aujourd'hui", "don't", "WE'LL", "https://a.b/c?d=1", "<|im_end|>", "\u00ab\u00a0oui\u00a0\u00bb", "3,14", "\r\n\r\n", "   ", "e\u0301", "C'est", "naïve", "the", " of", "tion", "#if", "...", "?!", "\u202f!"]


def hard_strings():
    groups = (FRENCH, ENGLISH, NUMBERS, URLS, SPECIAL, SPACE, COMPOSED, EMOJI, SCRIPTS, ODD)
    texts = list(dict.fromkeys(text for group in groups for text in group))
    # The same text with its accents taken apart must give the same ids.
    texts += [unicodedata.normalize("NFD", text) for text in FRENCH + SCRIPTS]
    # After white space, and before it.
    texts += [" " + text for text in ENGLISH[:20]] + ["\n" + text + " \n " for text in FRENCH[:10]]
    return list(dict.fromkeys(texts))


def random_character(rng):
    """Mostly from pools of characters that interact; sometimes any codepoint at all."""
    if rng.random() < 0.93:
        return rng.choice(rng.choice(POOLS))
    limit = rng.choice((0x250, 0x3000, 0x20000, 0x110000))
    codepoint = rng.randrange(limit)
    return "\ufffd" if 0xD800 <= codepoint < 0xE000 else chr(codepoint)


def random_strings(rng, count):
    texts = []
    for _ in range(count):
        pieces = [rng.choice(WORDS) if rng.random() < 0.1 else random_character(rng) for _ in range(rng.choice((2, 4, 8, 16, 40, 90)))]
        # Runs: a piece is sometimes repeated.
        texts.append("".join(piece * (1 if rng.random() < 0.9 else rng.randrange(2, 6)) for piece in pieces))
    return texts
