package mask

// Class says how the values of a column are treated.
type Class string

const (
	Keep     Class = "keep"     // copied as they are
	Person   Class = "person"   // names of people
	Firm     Class = "firm"     // names of firms; one space of names with Person
	Label    Class = "label"    // names of things: products, projects, warehouses
	Code     Class = "code"     // search keys, references, numbers of documents
	Street   Class = "street"   // address lines
	City     Class = "city"     // names of cities
	Postal   Class = "postal"   // postal codes
	Phone    Class = "phone"    // telephone and fax numbers
	Mail     Class = "mail"     // mail addresses, one or several
	URL      Class = "url"      // addresses of pages
	Host     Class = "host"     // names and addresses of computers
	Account  Class = "account"  // account numbers
	Routing  Class = "routing"  // routing numbers of banks
	IBAN     Class = "iban"     // international account numbers
	BIC      Class = "bic"      // codes of banks
	Card     Class = "card"     // numbers of payment cards
	TaxID    Class = "taxid"    // tax and social security numbers
	Birthday Class = "birthday" // dates of a person's life
	Geo      Class = "geo"      // coordinates
	Text     Class = "text"     // free text
	JSON     Class = "json"     // documents in JSON: {} is left
	Setting  Class = "setting"  // flags, numbers and names of settings are kept, the rest is Text
	Amount   Class = "amount"   // amounts and quantities: kept, or scattered when asked
	Binary   Class = "binary"   // files and pictures: emptied
	Secret   Class = "secret"   // passwords, tokens and what the dictionary marks secure: emptied
	Emptied  Class = "empty"    // emptied because a rule says so
	Fixed    Class = "constant" // one value for all, given by a rule
)
