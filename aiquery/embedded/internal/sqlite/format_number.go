package sqlite

import "strings"

// numberFormat is a parsed format of to_char for numbers.
type numberFormat struct {
	items     []byte // '9', '0', '.', ',', 'S', 'M' for MI
	pre, post int
	fill      bool // FM
	zero      bool // has a 0
	zeroStart int  // position of the first 0, counted from 1
	zeroEnd   int  // and of the last
	sign      byte // 'S' or 'M', 0 for none
	lead      bool // S stands before the digits
}

func parseNumberFormat(s string) (*numberFormat, error) {
	f := &numberFormat{}
	upper := strings.ToUpper(s)
	point, digits := false, false
	for i := 0; i < len(upper); i++ {
		switch c := upper[i]; {
		case strings.HasPrefix(upper[i:], "FM"):
			f.fill = true
			i++
		case strings.HasPrefix(upper[i:], "MI"):
			if f.sign != 0 {
				return nil, errFormat
			}
			f.sign = 'M'
			f.items = append(f.items, 'M')
			i++
		case c == '9' || c == '0':
			if f.sign != 0 && digits && f.sign == 'S' && !f.lead {
				return nil, errFormat
			}
			digits = true
			if point {
				f.post++
			} else {
				f.pre++
			}
			if c == '0' {
				if !point && !f.zero {
					f.zeroStart = f.pre
				}
				f.zero = f.zero || !point
				f.zeroEnd = f.pre + f.post
			}
			f.items = append(f.items, c)
		case c == '.' || c == 'D':
			if point {
				return nil, errFormat
			}
			point = true
			f.items = append(f.items, '.')
		case c == ',' || c == 'G':
			f.items = append(f.items, ',')
		case c == 'S':
			if f.sign != 0 {
				return nil, errFormat
			}
			f.sign, f.lead = 'S', !digits
		default:
			return nil, errFormat
		}
	}
	if !digits || f.pre+f.post > 200 {
		return nil, errFormat
	}
	return f, nil
}

// formatNumber is to_char of a number.
func formatNumber(d decimal, format string) (string, error) {
	f, err := parseNumberFormat(format)
	if err != nil {
		return "", err
	}
	neg := d.coef.Sign() < 0
	d = d.round(f.post)
	if neg {
		d = d.neg()
	}
	number := d.String()
	whole, frac, _ := strings.Cut(number, ".")
	if len(whole) > f.pre {
		if f.pre == 0 && whole == "0" {
			whole = ""
		} else {
			whole, frac = strings.Repeat("#", f.pre), strings.Repeat("#", f.post)
		}
	}
	number = whole
	if f.post > 0 {
		number += "." + frac
	}
	spaces := f.pre - len(whole)
	w := numberWriter{f: f, number: number, spaces: spaces, neg: neg, relevant: -1}
	if f.fill && f.post > 0 && !strings.Contains(number, "#") {
		w.relevant = max(len(strings.TrimRight(number, "0"))-1, 0)
		if f.zeroEnd > spaces {
			w.relevant = max(w.relevant, min(len(number)-1, f.zeroEnd-spaces))
		}
	}
	return w.write(), nil
}

type numberWriter struct {
	f        *numberFormat
	number   string
	spaces   int
	neg      bool
	relevant int // last digit shown with FM, -1 for all

	b       strings.Builder
	at, pos int // in the format's digits, in the number
	in      bool
	signed  bool
}

func (w *numberWriter) write() string {
	f := w.f
	if f.sign == 'M' {
		w.signed = true
	}
	if f.sign == 'S' && !f.lead {
		w.signed = true
	}
	for _, c := range f.items {
		switch c {
		case '9', '0', '.':
			w.digit(c)
		case ',':
			if w.in {
				w.b.WriteByte(',')
			} else if !f.fill {
				w.b.WriteByte(' ')
			}
		case 'M':
			if w.neg {
				w.b.WriteByte('-')
			} else if !f.fill {
				w.b.WriteByte(' ')
			}
		}
	}
	if f.sign == 'S' && !f.lead {
		if w.neg {
			w.b.WriteByte('-')
		} else {
			w.b.WriteByte('+')
		}
	}
	return w.b.String()
}

// hidden tells of the zero before the point that the format does not show.
func (w *numberWriter) hidden() bool {
	return !w.f.zero && w.pos == 0 && w.number != "" && w.number[0] == '0' && w.f.post != 0
}

func (w *numberWriter) onlyPoint() bool { return w.relevant >= 0 && w.number[w.relevant] == '.' }

func (w *numberWriter) digit(c byte) {
	f := w.f
	if !w.signed && (w.at >= w.spaces || f.zero && f.zeroStart == w.at+1) && (!w.hidden() || w.onlyPoint()) {
		switch {
		case f.sign == 'S' && !w.neg:
			w.b.WriteByte('+')
		case w.neg:
			w.b.WriteByte('-')
		case !f.fill:
			w.b.WriteByte(' ')
		}
		w.signed = true
	}
	if c == '.' {
		w.b.WriteByte('.')
		w.pos++
		return
	}
	zeroed := f.zero && w.at+1 >= f.zeroStart
	switch {
	case w.at < w.spaces && !zeroed:
		if !f.fill {
			w.b.WriteByte(' ')
		}
	case w.at < w.spaces:
		w.b.WriteByte('0')
		w.in = true
	case w.pos < len(w.number):
		switch {
		case w.relevant >= 0 && w.pos > w.relevant && c != '0':
		case w.hidden():
			if !f.fill {
				w.b.WriteByte(' ')
			} else if w.onlyPoint() {
				w.b.WriteByte('0')
			}
		default:
			w.b.WriteByte(w.number[w.pos])
			w.in = true
		}
		w.pos++
	}
	w.at++
}
