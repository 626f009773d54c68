package mask

import (
	"strings"
	"unicode/utf8"
)

// longestCode is the number of characters above which a value is not a code,
// whatever its column is called.
const longestCode = 400

// code replaces letters and digits by others of their kind; everything else
// stays. See [permuter.permute] for what holds.
func (t *tools) code(value string) string { return t.codeWithin(value, within{}) }

func (t *tools) codeWithin(value string, w within) string {
	if n := utf8.RuneCountInString(value); n > longestCode {
		return t.text(value, n)
	}
	if out, ok := t.codes.permute(value, w); ok {
		return out
	}
	// Characters beyond the alphabets: as many capitals and digits.
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	n := utf8.RuneCountInString(value)
	out := make([]byte, n)
	for i := range attempts {
		d := t.draw("code", value, i)
		for j := range out {
			out[j] = chars[d.n(len(chars))]
		}
		if !survives(value, string(out)) {
			break
		}
	}
	return string(out)
}

// phone replaces the digits after the country code.
func (t *tools) phone(value string) string {
	digits := 0
	for _, r := range value {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	country := countryCode(value)
	if digits-country < 4 {
		country = 0
	}
	end := 0 // of the country code
	for seen := 0; country > 0 && seen < country; end++ {
		if c := value[end]; c >= '0' && c <= '9' {
			seen++
		}
	}
	prefix := utf8.RuneCountInString(value[:end])
	return t.codeWithin(value, within{fixed: func(i int, _ []rune) bool { return i < prefix }})
}

// countryCode is the number of digits of the international country code that
// a telephone number begins with, the leading zeros included.
func countryCode(value string) int {
	rest, plus := strings.CutPrefix(value, "+")
	zeros := 0
	if !plus {
		var ok bool
		if rest, ok = strings.CutPrefix(value, "00"); !ok {
			return 0
		}
		zeros = 2
	}
	switch {
	case strings.HasPrefix(rest, "1") || strings.HasPrefix(rest, "7"):
		return zeros + 1
	case len(rest) < 2 || rest[0] < '1' || rest[0] > '9' || rest[1] < '0' || rest[1] > '9':
		return 0
	case strings.Contains(" 20 27 28 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 "+
		"81 82 83 84 86 89 90 91 92 93 94 95 98 ", " "+rest[:2]+" "):
		return zeros + 2
	case len(rest) < 3 || rest[2] < '0' || rest[2] > '9':
		return 0
	}
	return zeros + 3
}

// taxID keeps the country that a tax number begins with.
func (t *tools) taxID(value string) string {
	n := 0
	for _, r := range value {
		if _, _, ok := position(r); ok {
			n++
		}
	}
	if n < 8 {
		return t.code(value)
	}
	return t.codeWithin(value, within{fixed: func(i int, runes []rune) bool {
		return i < 2 && capital(runes[0]) && capital(runes[1]) && (runes[2] < 'A' || runes[2] > 'Z')
	}})
}

func capital(r rune) bool { return r >= 'A' && r <= 'Z' }

// bic keeps the country of a bank's code.
func (t *tools) bic(value string) string {
	if len(value) != 8 && len(value) != 11 {
		return t.code(value)
	}
	return t.codeWithin(value, within{fixed: func(i int, runes []rune) bool { return i == 4 || i == 5 }})
}

// iban keeps the country, and computes the check digits of a number that had
// right ones. One that had not gets one that has not.
func (t *tools) iban(value string) string {
	if !validIBAN([]rune(value)) {
		return t.codeWithin(value, within{valid: func(v []rune) bool { return !validIBAN(v) }})
	}
	places := ibanPlaces([]rune(value))
	check := places[2:4]
	// The check digits are not part of what is permuted, nor of its format.
	bare := []rune(value)
	bare[check[0]], bare[check[1]] = '0', '0'
	out := []rune(t.codeWithin(string(bare), within{fixed: func(i int, _ []rune) bool { return i <= check[1] }}))
	n := 98 - ibanRest(out)
	out[check[0]], out[check[1]] = rune('0'+n/10), rune('0'+n%10)
	return string(out)
}

// ibanPlaces are the places of the characters that are not spaces.
func ibanPlaces(value []rune) []int {
	var places []int
	for i, r := range value {
		if r != ' ' {
			places = append(places, i)
		}
	}
	return places
}

// validIBAN reports whether check digits are right, and those that are written
// for this number.
func validIBAN(value []rune) bool {
	places := ibanPlaces(value)
	if len(places) < 12 || len(places) > 40 {
		return false
	}
	for i, at := range places {
		r := value[at]
		switch digit := r >= '0' && r <= '9'; {
		case i < 2 && !capital(r), i >= 2 && i < 4 && !digit, i >= 4 && !digit && !capital(r):
			return false
		}
	}
	check := 10*int(value[places[2]]-'0') + int(value[places[3]]-'0')
	return check >= 2 && check <= 98 && ibanRest(value) == 1
}

// ibanRest is the number modulo 97, as ISO 7064 takes it.
func ibanRest(value []rune) int {
	places := ibanPlaces(value)
	rest := 0
	for i := range places {
		r := value[places[(i+4)%len(places)]]
		if capital(r) {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	return rest
}

// card gives numbers of cards another number with a right check digit; one
// with a wrong one gets one with a wrong one.
func (t *tools) card(value string) string {
	runes := []rune(value)
	sum, ok := luhn(runes)
	if !ok {
		return t.code(value)
	}
	if sum%10 != 0 {
		return t.codeWithin(value, within{valid: func(v []rune) bool { s, _ := luhn(v); return s%10 != 0 }})
	}
	last := len(runes) - 1
	for runes[last] < '0' || runes[last] > '9' {
		last--
	}
	runes[last] = '0' // the check digit is not a part of what is permuted, nor of its format
	out := []rune(t.codeWithin(string(runes), within{fixed: func(i int, _ []rune) bool { return i == last }}))
	sum, _ = luhn(out)
	out[last] = rune('0' + (10-sum%10)%10)
	return string(out)
}

// luhn is the sum of Luhn's formula. It reports false for what is not a card
// number: 12 to 19 digits, with spaces and dashes only.
func luhn(value []rune) (sum int, ok bool) {
	n := 0
	for i := len(value) - 1; i >= 0; i-- {
		switch r := value[i]; {
		case r == ' ' || r == '-':
		case r < '0' || r > '9':
			return 0, false
		default:
			d := int(r - '0')
			if n%2 == 1 {
				d *= 2
				d = d/10 + d%10
			}
			sum += d
			n++
		}
	}
	return sum, n >= 12 && n <= 19
}
