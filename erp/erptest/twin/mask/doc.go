// Package mask replaces what names people and firms in records of the ERP by
// invented values, so that a copy of somebody's data is like them and nobody's.
//
//	key, created, err := mask.OpenKey("shop.key")
//	m, err := mask.New(tables, mask.Options{Key: key, Own: []string{"Roe Trading GmbH"}})
//	err = m.Row("C_BPartner", row) // before the row is written
//	report := m.Report()
//
// The description of the tables comes from the dictionary. From the table, the
// name of the column, its display type and its flags follows a [Class], which
// says how its values are treated; [Rules] change that, and package maskfile
// reads them from YAML.
//
// # What is masked
//
// Business tables are masked: everything but the dictionary, what configures
// the ERP (roles, workflows, print formats) and reference data (countries,
// currencies, units, taxes, document types, price lists, charges, calendars,
// accounts). A table that is not known here is a business table. In it, names,
// addresses, telephone numbers, mail addresses, bank accounts, cards, tax
// numbers, birthdays, coordinates, search keys and references of documents are
// replaced by class, files are dropped, and a text column whose name says nothing
// is free text. References, lists, flags, numbers, dates and UUIDs stay; so do
// numbers of documents, which the ERP gives itself. In a column with a list, a text
// that is not one of its codes is free text, too.
//
// The names of tenants, organizations and users are masked. Those with which
// every installation comes (tenant System, organization *, the users System,
// WebService and SuperUser) keep their names. A user logs in with the masked name,
// which the copy shows. Names of roles, price lists and accounting schemas
// stay, but often contain the name of the firm: give it in [Options].Own, and it
// is replaced inside of them.
//
// Whatever the dictionary marks as secure or encrypted, and whatever is called a
// password, token, salt or the like, is emptied in every table and in every
// mode. No rule can keep it.
//
// # What holds
//
// The same value of a class becomes the same value everywhere. Persons and
// firms are one space of names, since a partner is the one here and the other
// there. A mail address that is written out of a name, jane.roe@, is written out
// of the name that the person got. NULL and empty stay. No value is longer than
// its column, or than its source where that is longer.
//
// Formats hold: digits stay digits and capitals capitals, with all that is
// between them, in codes, telephone numbers, postal codes, tax and account
// numbers; check digits of IBANs and cards are right where they were right, and
// wrong where they were wrong; mail addresses and URLs are in example.com,
// example.org and example.net; computers in example.net or 10.0.0.0/8.
//
// Different values become different values:
//   - In the classes code, postal, phone, account, routing, bic, taxid, iban and
//     card by construction: each format is permuted by a keyed Feistel network.
//     This is exact for values whose letters are ASCII, Latin, Greek, Cyrillic,
//     Hebrew, Arabic, Thai, Kana, Han or Hangul. Other values get as many capitals and
//     digits at random.
//   - In the classes person, firm, label, street, city, mail and url by the number
//     of inventions, of which there are 2^50 at least (short columns apart): among
//     a hundred thousand values a single pair falls together with a chance of
//     one in 200,000, among a million of one in 2,000.
//   - Text, host, birthday, geo and amounts may fall together. A column of free
//     text that tells values apart (a unique index, an identifier) is code.
//
// No part of a value of four letters or digits or more, in whatever case, is in
// its masked value. The exceptions: the country of a telephone number, tax number,
// IBAN and bank code, the check digits beside it, the legal form of a firm,
// domains that are for examples, values of settings that are flags and numbers,
// and one character in a text column. For codes, parts are avoided within groups
// of four values; that a group has no way out has a chance below one in a
// billion, and the whole value is never its own image. What is longer than 400
// characters is text, in every class.
//
// # What protects
//
// All depends on the [Key], 256 random bits. A value is HMAC-SHA-256 of the
// class and the source, drawn from, or a permutation by AES under keys derived
// from it. Without the key a list of candidates cannot be tested against masked
// values. With it, it can: the key belongs to who may see the source. It is in a
// file of its own, mode 600, beside the copy and not in it; the copy has its
// fingerprint only. A refresh needs the same key. Who never refreshes uses
// [NewKey] and forgets it.
//
// Protected is who appears in the data, against people and programs that get the
// copy but neither the source nor the key.
//
// # What remains visible
//
//   - That two records have the same value, and how often it occurs. A value that
//     stands out by its frequency can be recognized by who knows the frequencies.
//   - The length and format of codes and numbers, roughly the length of texts, the
//     number of words of a name (one, or more), its case, and its legal form.
//   - Which mail addresses share a domain.
//   - The countries named above, regions (C_Region) and all reference data.
//   - Numbers, amounts, quantities, dates, flags, UUIDs, ids, numbers of documents
//     and the structure of references. Who knows one order by its date and amount
//     finds the partner's other orders. [Rules].Scatter blurs amounts, each on its own: sums do
//     not add up afterwards.
//   - What somebody wrote into names and texts of the dictionary and of kept tables,
//     such as a table with the firm's prefix or an address in a print format. The
//     names in [Options].Own are replaced there, outside of the tenant System; for
//     the rest there are rules.
//
// Who may write into the source, and sees a copy made with the same key
// afterwards, can test guesses one by one.
package mask
