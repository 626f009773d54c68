package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

func TestPlainDecimal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"12.50": "12.50", "-0.10": "-0.10", "+3": "3", "007": "7", "1e3": "1000", "1.5E3": "1500", "12e-3": "0.012",
		"1.50e1": "15.0", ".5": "0.5", "5.": "5", "-0": "0", "0e5": "0", "0.000": "0.000",
	} {
		got, ok := PlainDecimal(in)
		assert.True(t, ok, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{"", ".", "-", "--1", "1.2.3", "1e", "e1", "1e1.5", "0x10", "1_000", "Infinity", "NaN", " 1", "1/2", "1e1001", "1e99999999999999999999"} {
		_, ok := PlainDecimal(in)
		assert.False(t, ok, in)
	}
}

func TestCheckLogic(t *testing.T) {
	t.Parallel()
	for logic, sound := range map[string]bool{
		"@Processed@=Y": true, "@A@='x y' & @B@!1": true, "1=1": true, "(@A@=1 | @B@>2) & $!(@C@=3)": true, "@A@^1": true,
		"@A@<=5": true, "@A:0@=0": true, "@SQL=SELECT 1": true,
		"@A@": true, "Y": true, "'x y'": true, "Y N": false, "@A@=": false, "(@A@=1": false, "@A@=1 &": false, "@A@=1 @B@=2": false,
		// What the ERP's grammar makes of what is not closed, and of characters that it does not know.
		"@A=1": true, "@A": true, "'a=1": false, "@A@=1'": true, "@A@='1": false, "@A@ % =1": true, "@A@=New-York": false, "@A@=-1.5": true, "@A@=1-": true,
		"@A@='a','b','c'": true, "@A@='a', 'b'": false, "@A@=a,b": true, "@A@=,": false, "@A@!=1": false, "@A@=1=1": true, "$!$!@A@=1": true, "$A": false, "@@=1": true,
		strings.Repeat("(", 1000) + "1=1": false,
	} {
		r := &Record{Table: logicTable, Row: store.Row{"ReadOnlyLogic": logic}}
		err := checkLogic(r, "ReadOnlyLogic")
		assert.Equal(t, sound, err == nil, "%.50s: %v", logic, err)
	}
}

var logicTable = &store.Table{Name: "T"}

func TestActionsIn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status, action string
		possible       bool
	}{
		{"DR", "PR", true}, {"DR", "CO", true}, {"IP", "CO", true}, {"IN", "PR", true}, {"DR", "VO", true}, {"CO", "VO", true},
		{"CO", "CL", true}, {"CO", "RC", true}, {"CO", "RE", true}, {"IP", "AP", true}, {"IP", "RJ", true}, {"DR", "IN", true}, {"CL", "RE", true},
		{"CO", "CO", false}, {"VO", "CO", false}, {"RE", "VO", false}, {"DR", "CL", false}, {"DR", "RC", false}, {"CL", "CO", false}, {"DR", "AP", false},
		{"NA", "CO", false}, {"??", "CO", false},
	} {
		assert.Equal(t, tc.possible, slices.Contains(actionsIn(tc.status), tc.action), "%s %s", tc.status, tc.action)
	}
}

// Whatever JSON a member holds, a column takes it or refuses it with a text
// made for callers.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{`null`, `1`, `-1`, `"118"`, `{"id":118}`, `{"identifier":"x"}`, `{"uid":"x"}`, `[1,"2",{"id":3}]`,
		`{"selections":[{"id":1}]}`, `"2026-03-09T14:05:06.123+02:00"`, `"14:05:06Z"`, `1e400`, `"1e-999"`, `{"lookupColumn":"Value","lookupValue":{"a":1}}`,
		`{"data":"aGk=","file_name":"a"}`, `{"id":0,"city":"Ulm","C_Country_ID":100}`, `"\u0000"`, `true`} {
		f.Add(seed)
	}
	e := open(f, "")
	refs := []int{
		displaytype.String, displaytype.Integer, displaytype.Amount, displaytype.ID, displaytype.Date, displaytype.DateTime, displaytype.List,
		displaytype.TableDir, displaytype.YesNo, displaytype.Location, displaytype.Binary, displaytype.Time, displaytype.Button, displaytype.Search,
		displaytype.Image, displaytype.TextLong, displaytype.TimestampWithTimeZone, displaytype.ChosenMultipleSelectionSrch, displaytype.UUID, displaytype.SearchUU, displaytype.JSON, displaytype.Chart,
	}
	undo := errors.New("undo")
	f.Fuzz(func(t *testing.T, in string) {
		v, err := wire.Parse([]byte(in))
		if err != nil {
			return
		}
		err = e.DB.Update(t.Context(), func(tx *store.Tx) error {
			s := &Session{ERP: e, ClientID: 11, OrgID: 11, UserID: 101, RoleID: 102}
			role, err := LoadRole(t.Context(), tx, 102, 101, e.Now())
			if err != nil {
				return err
			}
			s.Role = role
			for _, ref := range refs {
				name := "C_BPartner_ID"
				if ref == displaytype.SearchUU {
					name = "C_BPartner_UU"
				}
				stored, err := s.ToStored(t.Context(), tx, &store.Column{Name: name, Ref: ref}, v)
				if err != nil {
					var public PublicError
					var api *Error
					if !errors.As(err, &public) && !errors.As(err, &api) {
						t.Errorf("type %d, %s: %v", ref, in, err)
					}
					continue
				}
				switch stored.(type) {
				case nil, int64, string, []byte:
				default:
					t.Errorf("type %d, %s: stored as %T", ref, in, stored)
				}
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(fmt.Errorf("%s: %w", in, err))
		}
	})
}
