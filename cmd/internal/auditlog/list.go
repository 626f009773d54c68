package auditlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Filter says which records to list. The zero value lists all that the role may
// see.
type Filter struct {
	// User is the user of the query: an AD_User_ID in digits, or a name in any case of
	// letters; empty: anybody. Several users may have one name.
	User   string
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
	// maxUsers bounds how many users of one name are looked for.
	maxUsers = 40
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
	if f.User != "" {
		users, err := userIDs(ctx, client, f.User)
		if err != nil {
			return erp.Filter{}, err
		}
		all = append(all, erp.In("CreatedBy", users...))
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

// userIDs are the users of a number or a name.
func userIDs(ctx context.Context, client *erp.Client, user string) ([]int64, error) {
	if id, err := strconv.ParseInt(user, 10, 64); err == nil {
		if id < 0 {
			return nil, invalidf("there is no user %d", id)
		}
		return []int64{id}, nil
	}
	name := erp.Or(erp.Eq("Name", user), erp.Eq(erp.ToLower("Name"), strings.ToLower(user)))
	page, err := client.Query(ctx, "AD_User", &erp.Query{
		Filter: erp.ActiveOrNot(name), Select: []string{"Name"}, OrderBy: []string{"AD_User_ID"}, Top: maxUsers,
	})
	switch {
	case errors.Is(err, erp.ErrForbidden):
		return nil, fmt.Errorf("look for the user %s: %w; the role may not read AD_User: name the user by number (AD_User_ID)", text.Quote(user), err)
	case err != nil:
		return nil, fmt.Errorf("look for the user %s: %w", text.Quote(user), err)
	case page.More():
		return nil, invalidf("more than %d users have the name %s: name one by number (AD_User_ID)", len(page.Records), text.Quote(user))
	}
	var ids []int64
	for _, rec := range page.Records {
		if id, ok := rec.ID().Int(); ok {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, invalidf("the role sees no user with the name %s: check it, or name the user by number (AD_User_ID)", text.Quote(user))
	}
	return ids, nil
}
