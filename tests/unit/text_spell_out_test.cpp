// links: kazeia_stage_text
// Everything that is not a word becomes words. The numbers agree with those of the Python package num2words.
#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <span>

#include "stages/text/spell_out.h"

namespace kazeia {
namespace {

struct Case {
  const char *written, *spoken;
};

// clang-format off
constexpr Case kEnglish[] = {
    {"Hello, my name is Kazeia.", "Hello, my name is Kazeia."},
    {"0", "Zero"},
    {"7", "Seven"},
    {"13 and 20", "Thirteen and twenty"},
    {"21", "Twenty one"},
    {"42 cats", "Forty two cats"},
    {"99", "Ninety nine"},
    {"100", "One hundred"},
    {"101", "One hundred one"},
    {"110", "One hundred ten"},
    {"342", "Three hundred forty two"},
    {"1000", "One thousand"},
    {"1001", "One thousand one"},
    {"1984", "One thousand nine hundred eighty four"},
    {"2024", "Two thousand twenty four"},
    {"12,345", "Twelve thousand three hundred forty five"},
    {"999,999", "Nine hundred ninety nine thousand nine hundred ninety nine"},
    {"1,000,000", "One million"},
    {"999999999", "Nine hundred ninety nine million nine hundred ninety nine thousand nine hundred ninety nine"},
    {"123,456,789", "One hundred twenty three million four hundred fifty six thousand seven hundred eighty nine"},
    {"7,000,000,000", "Seven billion"},
    {"1234567890123", "One two three four five six seven eight nine zero one two three"},
    {"007", "Zero zero seven"},
    {"0.5", "Zero point five"},
    {"3.14", "Three point one four"},
    {"10.05", "Ten point zero five"},
    {"1,234.5", "One thousand two hundred thirty four point five"},
    {"-5 degrees", "Minus five degrees"},
    {"1.2.3", "One dot two dot three"},
    {"1st", "First"},
    {"2nd", "Second"},
    {"3rd", "Third"},
    {"4th", "Fourth"},
    {"5th", "Fifth"},
    {"8th", "Eighth"},
    {"9th", "Ninth"},
    {"12th", "Twelfth"},
    {"20th", "Twentieth"},
    {"21st", "Twenty first"},
    {"100th", "One hundredth"},
    {"1990s", "One thousand nine hundred nineties"},
    {"12:30", "Twelve thirty"},
    {"9:05", "Nine oh five"},
    {"7:00", "Seven o'clock"},
    {"14:00", "Fourteen hundred"},
    {"0:15", "Zero fifteen"},
    {"50%", "Fifty percent"},
    {"12.5 %", "Twelve point five percent"},
    {"$5", "Five dollars"},
    {"$1", "One dollar"},
    {"$5.50", "Five dollars and fifty cents"},
    {"$0.01", "One cent"},
    {"$2.5 million", "Two point five million dollars"},
    {"10 \u20AC", "Ten euros"},
    {"\u20AC1.00", "One euro"},
    {"\u00A33.20", "Three pounds and twenty pence"},
    {"\u00A321", "Twenty one pounds"},
    {"555-1234", "Five five five, one two three four"},
    {"555-123-4567", "Five five five, one two three, four five six seven"},
    {"06 12 34 56 78", "Zero six, one two, three four, five six, seven eight"},
    {"2024-05-17", "Two thousand twenty four five seventeen"},
    {"10-20 people", "Ten to twenty people"},
    {"1990-2000", "One thousand nine hundred ninety to two thousand"},
    {"1/2 cup", "One half cup"},
    {"3/4", "Three quarters"},
    {"7/8", "Seven over eight"},
    {"5 km", "Five kilometers"},
    {"1 kg", "One kilogram"},
    {"20 min", "Twenty minutes"},
    {"-5\u00B0C", "Minus five degrees Celsius"},
    {"60 mph", "Sixty miles an hour"},
    {"b", "Bee"},
    {"A, B, C.", "Ay, bee, see."},
    {"A cat and I.", "A cat and I."},
    {"Plan B is on.", "Plan bee is on."},
    {"X-ray", "Ex-ray"},
    {"vitamin C", "vitamin see"},
    {"USB", "You ess bee"},
    {"MP3", "Em pea three"},
    {"HTML5", "Aitch tea em ell five"},
    {"COVID-19", "Covid nineteen"},
    {"PCs", "Pea sees"},
    {"NASA", "Nasa"},
    {"UNESCO", "Unesco"},
    {"the U.S.A.", "the you ess ay."},
    {"9 a.m. today", "Nine ay em today"},
    {"e.g. this", "For example this"},
    {"Mr. Smith and Dr. Jones", "Mister Smith and Doctor Jones"},
    {"apples, pears, etc. Then", "apples, pears, et cetera. Then"},
    {"No. 5", "Number five"},
    {"No. I won't.", "No. I won't."},
    {"World War II", "World War two"},
    {"Chapter XIV", "Chapter fourteen"},
    {"STOP THAT NOW", "Stop That Now"},
    {"you & me @ home", "you and me at home"},
    {"2 + 2 = 4", "Two plus two equals four"},
    {"kazeia.org", "kazeia dot org"},
    {"\u201CYes\u201D (he said) \u2013 now", "Yes, he said, now"},
    {"Wait... what?", "Wait, what?"},
    {"Really?!", "Really?"},
    {"it\u2019s", "it's"},
    {"caf\u00E9 na\u00EFve", "cafe naive"},
    {"\u0141\u00F3d\u017A", "Lodz"},
    {"one  two", "one two"},
    {"a\n\nb", "a\n\nBee"},
    {"A\nB c", "Ay bee see"},
};
constexpr Case kFrench[] = {
    {"Bonjour Kazeia, comment vas-tu ?", "Bonjour Kazeia, comment vas-tu ?"},
    {"Bonjour Kazeia, comment vas-tu?", "Bonjour Kazeia, comment vas-tu ?"},
    {"0", "Z\u00E9ro"},
    {"1", "Un"},
    {"16", "Seize"},
    {"17", "Dix-sept"},
    {"21", "Vingt et un"},
    {"22", "Vingt-deux"},
    {"60", "Soixante"},
    {"69", "Soixante-neuf"},
    {"70", "Soixante-dix"},
    {"71", "Soixante et onze"},
    {"72", "Soixante-douze"},
    {"77", "Soixante-dix-sept"},
    {"79", "Soixante-dix-neuf"},
    {"80", "Quatre-vingts"},
    {"81", "Quatre-vingt-un"},
    {"90", "Quatre-vingt-dix"},
    {"91", "Quatre-vingt-onze"},
    {"99", "Quatre-vingt-dix-neuf"},
    {"100", "Cent"},
    {"101", "Cent un"},
    {"171", "Cent soixante et onze"},
    {"200", "Deux cents"},
    {"201", "Deux cent un"},
    {"280", "Deux cent quatre-vingts"},
    {"999", "Neuf cent quatre-vingt-dix-neuf"},
    {"1000", "Mille"},
    {"1001", "Mille un"},
    {"1789", "Mille sept cent quatre-vingt-neuf"},
    {"2024", "Deux mille vingt-quatre"},
    {"21000", "Vingt et un mille"},
    {"80 000", "Quatre-vingt mille"},
    {"200 000", "Deux cent mille"},
    {"1 234 567", "Un million deux cent trente-quatre mille cinq cent soixante-sept"},
    {"1.000.000", "Un million"},
    {"2 000 000 000", "Deux milliards"},
    {"1234567890123", "Un deux trois quatre cinq six sept huit neuf z\u00E9ro un deux trois"},
    {"007", "Z\u00E9ro z\u00E9ro sept"},
    {"3,14", "Trois virgule quatorze"},
    {"3,05", "Trois virgule z\u00E9ro cinq"},
    {"0,5", "Z\u00E9ro virgule cinq"},
    {"3.5", "Trois virgule cinq"},
    {"2,71828", "Deux virgule sept un huit deux huit"},
    {"-5", "Moins cinq"},
    {"1er", "Premier"},
    {"1re", "Premi\u00E8re"},
    {"1\u00E8re", "Premi\u00E8re"},
    {"2e", "Deuxi\u00E8me"},
    {"3\u00E8me", "Troisi\u00E8me"},
    {"4e", "Quatri\u00E8me"},
    {"5e", "Cinqui\u00E8me"},
    {"9e", "Neuvi\u00E8me"},
    {"10e", "Dixi\u00E8me"},
    {"21e", "Vingt et uni\u00E8me"},
    {"71e", "Soixante et onzi\u00E8me"},
    {"80e", "Quatre-vingti\u00E8me"},
    {"100e", "Centi\u00E8me"},
    {"1000e", "Milli\u00E8me"},
    {"12h30", "Douze heures trente"},
    {"12 h 30", "Douze heures trente"},
    {"9h", "Neuf heures"},
    {"1h", "Une heure"},
    {"21h05", "Vingt et une heures cinq"},
    {"0h15", "Z\u00E9ro heure quinze"},
    {"12:30", "Douze heures trente"},
    {"24:00", "Vingt-quatre heures"},
    {"50 %", "Cinquante pour cent"},
    {"2,5%", "Deux virgule cinq pour cent"},
    {"5 \u20AC", "Cinq euros"},
    {"1 \u20AC", "Un euro"},
    {"10,50 \u20AC", "Dix euros cinquante"},
    {"0,80 \u20AC", "Quatre-vingts centimes"},
    {"$5", "Cinq dollars"},
    {"\u00A31", "Une livre"},
    {"\u00A321", "Vingt et une livres"},
    {"06 12 34 56 78", "Z\u00E9ro six, un deux, trois quatre, cinq six, sept huit"},
    {"10-20 personnes", "Dix \u00E0 vingt personnes"},
    {"1/2", "Un demi"},
    {"3/4", "Trois quarts"},
    {"2/7", "Deux sur sept"},
    {"5 km", "Cinq kilom\u00E8tres"},
    {"1 kg", "Un kilo"},
    {"1,5 l", "Un virgule cinq litre"},
    {"-5 \u00B0C", "Moins cinq degr\u00E9s"},
    {"Y a-t-il", "Y a-t-il"},
    {"il y a", "il y a"},
    {"A, B et C.", "A, b\u00E9 et c\u00E9."},
    {"\u00C0 midi", "\u00C0 midi"},
    {"plan B", "plan b\u00E9"},
    {"la SNCF", "la esse enne c\u00E9 effe"},
    {"l'ONU", "l'o enne u"},
    {"des CDs", "des c\u00E9 d\u00E9s"},
    {"l'OTAN", "l'Otan"},
    {"UNESCO", "Unesco"},
    {"Louis XIV", "Louis quatorze"},
    {"XIXe si\u00E8cle", "Dix-neuvi\u00E8me si\u00E8cle"},
    {"M. Dupont et Mme Martin", "Monsieur Dupont et Madame Martin"},
    {"pommes, poires, etc. Puis", "pommes, poires, et c\u00E9t\u00E9ra. Puis"},
    {"n\u00B0 5", "Num\u00E9ro cinq"},
    {"2 + 2 = 4", "Deux plus deux \u00E9gale quatre"},
    {"moi & toi", "moi et toi"},
    {"kazeia.org", "kazeia point org"},
    {"\u00AB Oui \u00BB dit-il ; non", "Oui dit-il, non"},
    {"Attends... quoi ?", "Attends, quoi ?"},
    {"Quoi?!", "Quoi ?"},
    {"l\u2019\u00E9t\u00E9", "l'\u00E9t\u00E9"},
    {"\u0153uvre, na\u00EFf, \u00C9COLE", "\u0153uvre, na\u00EFf, \u00C9cole"},
    {"ni\u00F1o Stra\u00DFe", "nino Strasse"},
};
// clang-format on

void check(std::span<const Case> cases, const char* language) {
  for (const auto& [written, spoken] : cases) {
    const SpelledText spelled = spell_out(written, *spelling_rules(language));
    EXPECT_EQ(spelled.text, spoken) << written;
    EXPECT_EQ(spelled.num_left_out, 0) << written;
    EXPECT_EQ(spell_out(spoken, *spelling_rules(language)).text, spoken) << "spoken text must stay as it is";
  }
}

TEST(SpellOut, english_words_for_everything) { check(kEnglish, "english"); }

TEST(SpellOut, french_words_for_everything) { check(kFrench, "french"); }

TEST(SpellOut, characters_of_other_scripts_are_left_out_and_counted) {
  const SpelledText spelled = spell_out("one \u4E2D\u6587 two \U0001F600", *spelling_rules("english"));
  EXPECT_EQ(spelled.text, "one two");
  EXPECT_EQ(spelled.num_left_out, 2);
  EXPECT_EQ(spell_out("one \u4E2D two", *spelling_rules("english")).num_left_out, 1);
}

TEST(SpellOut, bytes_that_are_no_utf8_do_no_harm) {
  EXPECT_EQ(spell_out("caf\xFF\xE9 5", *spelling_rules("english")).text, "caf five");
}

TEST(SpellOut, other_languages_have_no_rules) {
  EXPECT_EQ(spelling_rules("auto"), nullptr);
  EXPECT_EQ(spelling_rules("chinese"), nullptr);
}

// What the voice was trained on, and nothing else, whatever comes in.
TEST(SpellOut, what_comes_out_is_letters_and_a_few_marks) {
  std::mt19937 random(3);
  const std::string alphabet = "abZM019 .,;:!?-'\"()/$%&+@#\n_*~^";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) text += alphabet[random() % alphabet.size()];
    for (const char* language : {"english", "french"}) {
      const std::string spoken = spell_out(text, *spelling_rules(language)).text;
      for (const char c : spoken) {
        const bool fine = (c & 0x80) != 0 || std::isalpha(c) != 0 ||
                          std::string_view(" ,.'?!:;-\n").find(c) != std::string_view::npos;
        EXPECT_TRUE(fine) << text << " -> " << spoken;
      }
    }
  }
}

}  // namespace
}  // namespace kazeia
