package mask

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mails replaces mail addresses: one, or several with commas, semicolons or
// spaces between them. What is not a mail address becomes text.
func (t *tools) mails(value string, limit int) string {
	between := func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }
	words := strings.FieldsFunc(value, between)
	for _, w := range words {
		if at := strings.LastIndexByte(w, '@'); at <= 0 || at == len(w)-1 {
			return t.text(value, limit)
		}
	}
	if len(words) == 0 {
		return value
	}
	// All get the same room, so that none is cut.
	room := (limit - utf8.RuneCountInString(value) + utf8.RuneCountInString(strings.Join(words, ""))) / len(words)
	if room < len("abcdefghij@example.net") && len(words) > 1 {
		return t.text(value, limit)
	}
	var b strings.Builder
	for _, w := range words {
		i := strings.Index(value, w)
		b.WriteString(value[:i])
		value = value[i+len(w):]
		at := strings.LastIndexByte(w, '@')
		b.WriteString(t.mail(w[:at], w[at+1:], w, room))
	}
	return b.String() + value
}

// mail replaces one address. One that is written out of a name, as in
// first.last@, is written out of the invented name of that person.
func (t *tools) mail(local, domain, whole string, limit int) string {
	key, words := whole, strings.FieldsFunc(local, func(r rune) bool { return r == '.' || r == '_' || r == '-' })
	separator := "."
	named := len(words) > 1 && strings.ToLower(whole) == whole && local+"@"+domain == whole
	if named {
		i := strings.IndexAny(local, "._-")
		separator = local[i : i+1]
		named = strings.Join(words, separator) == local && !strings.ContainsFunc(local, unicode.IsDigit)
	}
	company := func(i int) string { return t.draw("domain", strings.ToLower(domain), i).word(3) }
	for i := range attempts {
		var out string
		if named {
			name := t.party(strings.Join(titleAll(words), " "), longestName)
			out = strings.ToLower(strings.ReplaceAll(name, " ", separator))
		} else {
			d := t.draw("mail", key, i)
			out = d.word(5)
		}
		full := out + "@" + company(i) + ".example.com"
		if utf8.RuneCountInString(full) > limit {
			full = out + "@example.org"
		}
		if utf8.RuneCountInString(full) > limit {
			full = t.draw("short mail", key, i).letters(10) + "@example.net"
		}
		if utf8.RuneCountInString(full) > limit {
			break
		}
		if !survives(withoutExample(whole), withoutExample(full)) {
			return full
		}
		named = named && i < 4
	}
	return t.code(whole)
}

// withoutExample is an address without the domains that are for examples:
// a source may have one of them, too.
func withoutExample(address string) string {
	lower := strings.ToLower(address)
	for _, d := range []string{"example.com", "example.org", "example.net"} {
		if head, ok := strings.CutSuffix(lower, d); ok {
			return head
		}
	}
	return lower
}

func titleAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = titled(w)
	}
	return out
}

// letters are so many small letters.
func (d *draw) letters(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + d.n(26))
	}
	return string(b)
}

// url replaces the host of an address, and its path when there is one. The
// scheme stays when it is a usual one.
func (t *tools) url(value string, limit int) string {
	scheme, rest, ok := strings.Cut(value, "://")
	switch {
	case !ok:
		scheme, rest = "", value
	case strings.Contains(" http https ftp ftps sftp file ", " "+strings.ToLower(scheme)+" "):
		scheme += "://"
	default:
		scheme = "https://"
	}
	host, path, _ := strings.Cut(rest, "/")
	if scheme == "" && (!strings.Contains(host, ".") || strings.ContainsFunc(value, unicode.IsSpace)) {
		return t.text(value, limit)
	}
	www := ""
	if strings.HasPrefix(strings.ToLower(host), "www.") {
		www = "www."
	}
	for i := range attempts {
		d := t.draw("url", value, i)
		out := scheme + www + d.word(5) + ".example.org"
		if path != "" {
			out += "/" + d.word(3)
		}
		if utf8.RuneCountInString(out) > limit {
			out = d.letters(12) + ".example.org"
		}
		if utf8.RuneCountInString(out) > limit {
			break
		}
		if !survives(withoutScheme(value), withoutScheme(strings.TrimPrefix(out, scheme))) {
			return out
		}
	}
	return t.code(value)
}

// withoutScheme is what of an address must not be found again.
func withoutScheme(address string) string {
	if scheme, rest, ok := strings.Cut(address, "://"); ok && strings.Contains(" http https ftp ftps sftp file ", " "+strings.ToLower(scheme)+" ") {
		address = rest
	}
	host, path, _ := strings.Cut(address, "/")
	return withoutExample(host) + "/" + path
}

// host replaces the name or address of a computer. Addresses become ones of a
// private network.
func (t *tools) host(value string, limit int) string {
	if addr, err := netip.ParseAddr(value); err == nil {
		d := t.draw("host", value, 0)
		out := fmt.Sprintf("fd%02x:%x:%x:%x::%x", d.n(256), d.n(1<<16), d.n(1<<16), d.n(1<<16), d.n(1<<16))
		if addr.Is4() || len(out) > limit {
			out = fmt.Sprintf("10.%d.%d.%d", d.n(256), d.n(256), d.n(256))
		}
		if len(out) > limit || out == value {
			return t.code(value)
		}
		return out
	}
	if strings.Contains(value, "/") || strings.Contains(value, "@") {
		return t.url(value, limit)
	}
	for i := range attempts {
		out := t.draw("host", value, i).word(5) + ".example.net"
		if utf8.RuneCountInString(out) <= limit && !survives(withoutExample(value), withoutExample(out)) {
			return out
		}
	}
	return t.code(value)
}
