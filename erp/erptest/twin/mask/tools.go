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
	switch c {
	case Person, Firm:
		return t.party(text, limit)
	case Label:
		return t.label(text, limit)
	case Street:
		return t.street(text, limit)
	case City:
		return t.city(text, limit)
	case Code, Postal, Account, Routing:
		return t.code(text)
	case Phone:
		return t.phone(text)
	case Mail:
		return t.mails(text, limit)
	case URL:
		return t.url(text, limit)
	case Host:
		return t.host(text, limit)
	case IBAN:
		return t.iban(text)
	case BIC:
		return t.bic(text)
	case Card:
		return t.card(text)
	case TaxID:
		return t.taxID(text)
	case Birthday:
		return t.birthday(text)
	case Geo:
		return t.geo(text, limit)
	case JSON:
		return "{}"
	case Setting:
		return t.setting(text, limit)
	}
	return t.text(text, limit)
}

// draw begins a stream for one kind of words.
func (t *tools) draw(kind, value string, attempt int) *draw {
	return t.words.draw(kind+"\x00"+value, attempt)
}
