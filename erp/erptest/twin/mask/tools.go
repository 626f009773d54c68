package mask

// tools make masked values with the sources of one key.
type tools struct {
	words *source
	codes *permuter
}

func newTools(k Key) *tools {
	return &tools{words: newSource(k.derive("words")), codes: newPermuter(k.derive("codes"))}
}

// value is the masked value of a text that is not empty. The limit is in
// characters.
func (t *tools) value(c Class, text string, limit int) string {
	if c == JSON {
		return "{}"
	}
	if replace := ofLength[c]; replace != nil {
		return replace(t, text)
	}
	if replace := upToLimit[c]; replace != nil {
		return replace(t, text, limit)
	}
	return t.text(text, limit)
}

// What replaces the values of a class: as long ones, or ones up to a limit.
var (
	ofLength = map[Class]func(*tools, string) string{
		Code: (*tools).code, Postal: (*tools).code, Account: (*tools).code, Routing: (*tools).code, Phone: (*tools).phone,
		IBAN: (*tools).iban, BIC: (*tools).bic, Card: (*tools).card, TaxID: (*tools).taxID, Birthday: (*tools).birthday,
	}
	upToLimit = map[Class]func(*tools, string, int) string{
		Person: (*tools).party, Firm: (*tools).party, Label: (*tools).label, Street: (*tools).street, City: (*tools).city,
		Mail: (*tools).mails, URL: (*tools).url, Host: (*tools).host, Geo: (*tools).geo, Setting: (*tools).setting,
	}
)

// draw begins a stream for one kind of words.
func (t *tools) draw(kind, value string, attempt int) *draw {
	return t.words.draw(kind+"\x00"+value, attempt)
}
