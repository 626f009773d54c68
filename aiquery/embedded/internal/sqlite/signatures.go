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
sign(numeric) numeric = pg_sign_num($1)
sign(float8) float8
mod(int2,int2) int2 = pg_arith('%','int2',$1,$2)
mod(int4,int4) int4 = pg_arith('%','int4',$1,$2)
mod(int8,int8) int8 = pg_arith('%','int8',$1,$2)
mod(numeric,numeric) numeric = pg_arith('%','numeric',$1,$2)
div(numeric,numeric) numeric = pg_div_num($1,$2)
power(float8,float8) float8
power(numeric,numeric) numeric = -
pow(float8,float8) float8 = pg_power($1,$2)
pow(numeric,numeric) numeric = -
sqrt(float8) float8
sqrt(numeric) numeric = pg_sqrt_num($1)
exp(float8) float8
exp(numeric) numeric = -
ln(float8) float8
ln(numeric) numeric = -
log(float8) float8
log(numeric) numeric = -
log(numeric,numeric) numeric = -
degrees(float8) float8
radians(float8) float8
pi() float8 = pi()
width_bucket(numeric,numeric,numeric,int4) int4
width_bucket(float8,float8,float8,int4) int4 = -
lower(text) text
upper(text) text
initcap(text) text
reverse(text) text
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
substring(text,text) text = pg_regexp_substr($1,$2)
replace(text,text,text) text
translate(text,text,text) text
position(text,text) int4 = pg_strpos($1,$2)
strpos(text,text) int4
split_part(text,text,int4) text
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
starts_with(text,text) bool
to_hex(int4) text = pg_to_hex($1,'int4')
to_hex(int8) text = pg_to_hex($1,'int8')
md5(text) text
chr(int4) text
ascii(text) int4
overlay(text,text,int4) text = pg_overlay($1,$2,$3,pg_length($2))
overlay(text,text,int4,int4) text
quote_literal(text) text
regexp_replace(text,text,text) text = pg_regexp_replace($1,$2,$3,'')
regexp_replace(text,text,text,text) text
regexp_like(text,text) bool = pg_regex($1,$2,'')
regexp_like(text,text,text) bool = pg_regex($1,$2,$3)
regexp_count(text,text) int4
regexp_substr(text,text) text = -
now() timestamptz = now
date_trunc(text,timestamp) timestamp
date_trunc(text,timestamptz) timestamptz
date_trunc(text,interval) interval = pg_interval_trunc($1,$2)
date_bin(interval,timestamp,timestamp) timestamp
date_bin(interval,timestamptz,timestamptz) timestamptz
extract(text,timestamp) numeric = pg_extract($1,'timestamp',$2)
extract(text,timestamptz) numeric = pg_extract($1,'timestamptz',$2)
extract(text,date) numeric = pg_extract($1,'date',$2)
extract(text,time) numeric = pg_extract($1,'time',$2)
extract(text,interval) numeric = pg_extract($1,'interval',$2)
date_part(text,timestamp) float8 = CAST(pg_extract($1,'timestamp',$2) AS REAL)
date_part(text,timestamptz) float8 = CAST(pg_extract($1,'timestamptz',$2) AS REAL)
date_part(text,date) float8 = CAST(pg_extract($1,'timestamp',$2 || ' 00:00:00') AS REAL)
date_part(text,time) float8 = CAST(pg_extract($1,'time',$2) AS REAL)
date_part(text,interval) float8 = CAST(pg_extract($1,'interval',$2) AS REAL)
age(timestamp,timestamp) interval
age(timestamptz,timestamptz) interval
age(timestamp) interval = pg_age(date('now') || ' 00:00:00',$1)
age(timestamptz) interval = pg_age(date('now') || ' 00:00:00',$1)
to_char(timestamp,text) text = pg_to_char_time($1,$2)
to_char(timestamptz,text) text = pg_to_char_time($1,$2)
to_char(interval,text) text = -
to_char(numeric,text) text = pg_to_char_num($1,$2)
to_char(int4,text) text = pg_to_char_num($1,$2)
to_char(int8,text) text = pg_to_char_num($1,$2)
to_char(float8,text) text = -
to_date(text,text) date
to_timestamp(text,text) timestamptz
to_timestamp(float8) timestamptz = pg_from_epoch($1)
make_date(int4,int4,int4) date
make_timestamp(int4,int4,int4,int4,int4,float8) timestamp
justify_days(interval) interval = pg_justify('days',$1)
justify_hours(interval) interval = pg_justify('hours',$1)
justify_interval(interval) interval = pg_justify('both',$1)
isfinite(date) bool = CASE WHEN $1 IS NULL THEN NULL ELSE 1 END
isfinite(timestamp) bool = CASE WHEN $1 IS NULL THEN NULL ELSE 1 END
isfinite(timestamptz) bool = CASE WHEN $1 IS NULL THEN NULL ELSE 1 END
isfinite(interval) bool = CASE WHEN $1 IS NULL THEN NULL ELSE 1 END
overlaps(timestamptz,timestamptz,timestamptz,timestamptz) bool
overlaps(timestamp,timestamp,timestamp,timestamp) bool
overlaps(time,time,time,time) bool
string_to_array(text,text) text[]
daysbetween(timestamptz,timestamptz) int4 = julianday(substr($1,1,10))-julianday(substr($2,1,10))
transaction_timestamp() timestamptz = now
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
		ok := len(s.args) == len(args)
		for i := 0; ok && i < len(args); i++ {
			ok = implicit(args[i].typ, s.args[i])
		}
		if ok {
			fit = append(fit, s)
		}
	}
	best := func(score func(signature, int) bool) {
		top := -1
		var kept []signature
		for _, s := range fit {
			n := 0
			for i := range args {
				if score(s, i) {
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
		fit = kept
	}
	base := func(typ string) string {
		if isText(typ) {
			return "text"
		}
		return typ
	}
	if len(fit) > 1 {
		best(func(s signature, i int) bool { return base(args[i].typ) == s.args[i] })
	}
	if len(fit) > 1 {
		best(func(s signature, i int) bool {
			return args[i].typ != unknown && (base(args[i].typ) == s.args[i] || preferred(s.args[i]))
		})
	}
	if len(fit) > 1 {
		best(func(s signature, i int) bool { return args[i].typ == unknown && isText(s.args[i]) })
	}
	if len(fit) > 1 {
		best(func(s signature, i int) bool { return args[i].typ == unknown && preferred(s.args[i]) })
	}
	if len(fit) != 1 {
		return signature{}, false
	}
	return fit[0], true
}
