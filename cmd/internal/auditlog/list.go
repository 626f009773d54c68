package auditlog

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// Filter says which records to list. The zero value lists all that the role may
// see.
type Filter struct {
	User   erp.ID    // number or UUID of who asked; zero: anybody
	Since  time.Time // run then or later; zero: always
	Until  time.Time // run before; zero: always
	Status Status    // empty: any
	// Contains is text of the statement, in any case of letters, at most 200
	// characters; empty: any statement. It is not a pattern.
	Contains string
	// Limit bounds the number of records; 0 means no bound.
	Limit int
}

const (
	// pageSize bounds what one response may hold: statements have up to 64 KiB.
	pageSize = 50
	// maxContains keeps the address of a request short.
	maxContains = 200
	// timeMargin is added to both ends of a time range in the request to the ERP, and
	// the exact ends are applied here: older releases compare the day alone, and a
	// server may read the records' times in its own zone.
	timeMargin = 48 * time.Hour
)

// List yields the records of a filter, newest first, page by page; it holds one
// page at a time, and records that are made meanwhile do not shift it. The first
// error ends it: ErrNoTable, ErrDenied, ErrInvalid of package erp for a filter
// that cannot be, or what reading failed with. A role that may see no records
// gets an empty list rather than an error where the ERP merely hides them;
// [MayRead] tells.
func List(ctx context.Context, client *erp.Client, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		condition, err := f.condition(ctx, client)
		if err != nil {
			yield(Record{}, err)
			return
		}
		q := &erp.Query{Filter: condition, Select: listed, OrderBy: []string{erp.Desc(TableName + "_ID")}, Top: pageSize}
		before := int64(0) // number of the last record
		for left := f.Limit; ; {
			page, err := client.Query(ctx, TableName, q)
			if err != nil {
				yield(Record{}, explained(err))
				return
			}
			for _, rec := range page.Records {
				r, err := parse(rec)
				if err == nil && before != 0 && r.ID >= before {
					err = fmt.Errorf("record %d of %s came after record %d although the newest were requested first: %w", r.ID, TableName, before, erp.ErrBadResponse)
				}
				if err != nil {
					yield(Record{}, err)
					return
				}
				before = r.ID
				if !f.matches(&r) {
					continue
				}
				if !yield(r, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if !page.More() || len(page.Records) == 0 {
				return
			}
			q.Filter = erp.And(condition, erp.Lt(TableName+"_ID", before))
		}
	}
}

// condition is the filter sent to the ERP. It may find more than the filter
// wants, never less.
func (f *Filter) condition(ctx context.Context, client *erp.Client) (erp.Filter, error) {
	var all []erp.Filter
	switch {
	case f.Limit < 0:
		return erp.Filter{}, invalidf("Limit is %d", f.Limit)
	case !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until):
		return erp.Filter{}, invalidf("no query can be since %s and before %s", f.Since.UTC().Format(time.RFC3339), f.Until.UTC().Format(time.RFC3339))
	}
	if f.Status != "" {
		status, err := ParseStatus(string(f.Status))
		if err != nil {
			return erp.Filter{}, err
		}
		all = append(all, erp.Eq("AIG_QueryStatus", string(status)))
	}
	if !f.Since.IsZero() {
		all = append(all, erp.Ge("Created", f.Since.UTC().Add(-timeMargin)))
	}
	if !f.Until.IsZero() {
		all = append(all, erp.Lt("Created", f.Until.UTC().Add(timeMargin)))
	}
	if f.Contains != "" {
		pattern, err := containsPattern(f.Contains)
		if err != nil {
			return erp.Filter{}, err
		}
		all = append(all, erp.Contains(erp.ToLower("AIG_QuerySQL"), pattern))
	}
	if !f.User.IsZero() {
		user, err := userID(ctx, client, f.User)
		if err != nil {
			return erp.Filter{}, err
		}
		all = append(all, erp.Eq("CreatedBy", user))
	}
	if len(all) == 0 {
		return erp.Filter{}, nil
	}
	return erp.And(all...), nil
}

// matches applies what the ERP cannot exactly.
func (f *Filter) matches(r *Record) bool {
	return (f.Since.IsZero() || !r.Time.Before(f.Since.Truncate(time.Second))) && (f.Until.IsZero() || r.Time.Before(f.Until)) &&
		strings.Contains(strings.ToLower(r.Statement), strings.ToLower(f.Contains))
}

// containsPattern is a pattern that finds every statement with the text: letters
// and digits stand for themselves, anything that a filter or a database might
// read otherwise stands for any one character.
func containsPattern(text string) (erp.Pattern, error) {
	runes := []rune(strings.ToLower(text))
	if len(runes) > maxContains {
		return "", invalidf("the text to look for has %d characters; at most %d are possible", len(runes), maxContains)
	}
	for i, r := range runes {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			runes[i] = '_'
		}
	}
	return erp.Pattern(runes), nil
}

// userID is the number of a user.
func userID(ctx context.Context, client *erp.Client, user erp.ID) (int64, error) {
	if number, ok := user.Int(); ok {
		return number, nil
	}
	rec, err := client.Get(ctx, "AD_User", user, &erp.GetOptions{Select: []string{"Name"}})
	if err != nil {
		return 0, fmt.Errorf("look for the user %s: %w", user, err)
	}
	number, _ := rec.ID().Int()
	return number, nil
}
