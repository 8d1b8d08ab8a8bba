/** Names of contacts; some are hard on a CSV file. */
export const names: readonly string[] = [
  "Amina Diallo",
  "Bea O'Neill",
  'Carlos "Charly" Ruiz',
  "Dvořák, Eliška",
  "Fatma Şahin",
  "=Giulia Conti",
  "Håkon Ødegård",
  "李小龍",
  "Mária Nagy\tKovács",
  "Noor, van den Berg",
  "-Olu Adeyemi",
  "प्रिया शर्मा",
];

/** Channels of conversations. */
export const channels: readonly string[] = ["web", "whatsapp", "telegram", "sms", "voice"];

/** What people and bots say; some of it is hard on a CSV file, or on a spreadsheet that opens one. */
export const phrases: readonly string[] = [
  "Hello!",
  "Where is my order?",
  "It arrived on Tuesday, thanks.",
  'She said "tomorrow", twice.',
  "First line\nsecond line",
  "Windows line\r\nand another\r\n",
  "an old Mac\rline",
  "👍🏽 great 🎉",
  "Zażółć gęślą jaźń",
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://example.com","click")',
  "+41 44 668 18 00",
  "-5",
  "@SUM(1+1)*cmd",
  "\tindented",
  "\rreturned",
  "'quoted already",
  " spaces around ",
  "",
  '"',
  ",",
  "Your parcel is on its way; you can follow it with the number we have sent you.",
  "Can I change the delivery address? I shall be away from the 3rd to the 9th, and again later.",
  "I am connecting you with a colleague, who has all of this conversation at hand. One moment.",
];

/** Who speaks. */
export const senders: readonly string[] = ["bot", "contact", "agent"];
