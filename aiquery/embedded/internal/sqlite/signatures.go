package sqlite

import (
	"strings"
	"sync"
)

// signature is one overload of a function: the types of its arguments, the
// type of its result, and how it is written. In the form, $1 … are the
// arguments; without a form it is pg_ and the name, with all arguments.
type signature struct {
	args   []string
	result string
	form   string
}

// signatureTable lists the functions as name(arguments) result [= form]. A
// form of "-" marks an overload that PostgreSQL has and is refused here, so
// that no other one is taken for it.
const signatureTable = `
abs(int2) int2 = abs($1)
abs(int4) int4 = abs($1)
abs(int8) int8 = abs($1)
abs(numeric) numeric = pg_abs_num($1)
abs(float8) float8 = abs($1)
ceil(numeric) numeric = pg_ceil_num($1)
ceil(float8) float8
ceiling(numeric) numeric = pg_ceil_num($1)
ceiling(float8) float8 = pg_ceil($1)
floor(numeric) numeric = pg_floor_num($1)
floor(float8) float8
round(numeric) numeric = pg_round_num($1,0)
round(float8) float8 = pg_rint($1)
round(numeric,int4) numeric = pg_round_num($1,$2)
trunc(numeric) numeric = pg_trunc_num($1,0)
trunc(float8) float8
trunc(numeric,int4) numeric = pg_trunc_num($1,$2)
mod(int2,int2) int2 = pg_arith('%','int2',$1,$2)
mod(int4,int4) int4 = pg_arith('%','int4',$1,$2)
mod(int8,int8) int8 = pg_arith('%','int8',$1,$2)
mod(numeric,numeric) numeric = pg_arith('%','numeric',$1,$2)
sqrt(float8) float8
sqrt(numeric) numeric = -
power(float8,float8) float8
power(numeric,numeric) numeric = -
ln(float8) float8
ln(numeric) numeric = -
lower(text) text
upper(text) text
length(text) int4
char_length(text) int4 = pg_length($1)
character_length(text) int4 = pg_length($1)
octet_length(text) int4
left(text,int4) text
right(text,int4) text
substr(text,int4) text = pg_substr($1,$2,1099511627776)
substr(text,int4,int4) text
substring(text,int4) text = pg_substr($1,$2,1099511627776)
substring(text,int4,int4) text = pg_substr($1,$2,$3)
substring(text,text) text = -
replace(text,text,text) text
position(text,text) int4 = pg_strpos($1,$2)
strpos(text,text) int4
btrim(text) text = pg_btrim($1,' ')
btrim(text,text) text
ltrim(text) text = pg_ltrim($1,' ')
ltrim(text,text) text
rtrim(text) text = pg_rtrim($1,' ')
rtrim(text,text) text
trim(text) text = pg_btrim($1,' ')
trim(text,text) text = pg_btrim($1,$2)
lpad(text,int4) text = pg_lpad($1,$2,' ')
lpad(text,int4,text) text
rpad(text,int4) text = pg_rpad($1,$2,' ')
rpad(text,int4,text) text
now() timestamptz = now
transaction_timestamp() timestamptz = now
date_trunc(text,timestamp) timestamp
date_trunc(text,timestamptz) timestamptz
date_trunc(text,interval) interval = -
extract(text,timestamp) numeric = pg_extract($1,'timestamp',$2)
extract(text,timestamptz) numeric = pg_extract($1,'timestamptz',$2)
extract(text,date) numeric = pg_extract($1,'date',$2)
extract(text,interval) numeric = pg_extract($1,'interval',$2)
to_char(timestamp,text) text = pg_to_char_time($1,$2)
to_char(timestamptz,text) text = pg_to_char_time($1,$2)
to_char(interval,text) text = -
to_char(numeric,text) text = -
to_char(int4,text) text = -
to_char(int8,text) text = -
to_char(float8,text) text = -
`

// signatures are the overloads by function.
var signatures = sync.OnceValue(func() map[string][]signature {
	all := map[string][]signature{}
	for line := range strings.Lines(strings.TrimSpace(signatureTable)) {
		head, form, _ := strings.Cut(strings.TrimSpace(line), " = ")
		name, rest, _ := strings.Cut(head, "(")
		args, result, _ := strings.Cut(rest, ") ")
		s := signature{result: result, form: form}
		if args != "" {
			s.args = strings.Split(args, ",")
		}
		if s.form == "" {
			parts := make([]string, len(s.args))
			for i := range parts {
				parts[i] = "$" + string(rune('1'+i))
			}
			s.form = "pg_" + name + "(" + strings.Join(parts, ",") + ")"
		}
		if s.form == "now" {
			s.form = now
		}
		all[name] = append(all[name], s)
	}
	return all
})

// write puts the arguments into the form.
func (s signature) write(args []expr) string {
	var b strings.Builder
	form := s.form
	for {
		i := strings.IndexByte(form, '$')
		if i < 0 || i+1 == len(form) {
			b.WriteString(form)
			return b.String()
		}
		b.WriteString(form[:i])
		b.WriteString(args[form[i+1]-'1'].sql)
		form = form[i+2:]
	}
}

// resolve picks the overload as PostgreSQL does: the one with most exact
// types, then with most preferred ones; literals without type count as text
// where one overload has it.
func resolve(overloads []signature, args []expr) (signature, bool) {
	var fit []signature
	for _, s := range overloads {
		if s.takes(args) {
			fit = append(fit, s)
		}
	}
	for _, counts := range []func(arg, wanted string) bool{
		func(arg, wanted string) bool { return arg == wanted },
		func(arg, wanted string) bool { return arg != unknown && (arg == wanted || preferred(wanted)) },
		func(arg, wanted string) bool { return arg == unknown && isText(wanted) },
		func(arg, wanted string) bool { return arg == unknown && preferred(wanted) },
	} {
		if len(fit) > 1 {
			fit = best(fit, args, counts)
		}
	}
	if len(fit) != 1 {
		return signature{}, false
	}
	return fit[0], true
}

func (s signature) takes(args []expr) bool {
	ok := len(s.args) == len(args)
	for i := 0; ok && i < len(args); i++ {
		ok = implicit(args[i].typ, s.args[i])
	}
	return ok
}

// best are the overloads with most arguments that count.
func best(overloads []signature, args []expr, counts func(arg, wanted string) bool) []signature {
	top := -1
	var kept []signature
	for _, s := range overloads {
		n := 0
		for i, a := range args {
			typ := a.typ
			if isText(typ) {
				typ = "text"
			}
			if counts(typ, s.args[i]) {
				n++
			}
		}
		if n > top {
			top, kept = n, nil
		}
		if n == top {
			kept = append(kept, s)
		}
	}
	return kept
}
