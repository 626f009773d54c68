package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// The table of chapter 4.1: who may write which level.
func TestWriteLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]map[string]bool{
		"1": {"S": false, "C": false, "CO": true, "O": true},
		"2": {"S": false, "C": true, "CO": true, "O": false},
		"3": {"S": false, "C": false, "CO": true, "O": true},
		"4": {"S": true, "C": false, "CO": false, "O": false},
		"6": {"S": true, "C": true, "CO": true, "O": false},
		"7": {"S": true, "C": true, "CO": true, "O": true},
		"":  {"S": false, "C": false, "CO": false, "O": false},
	} {
		for user, may := range want {
			r := &Role{UserLevel: user}
			tab := &store.Table{ID: 1, AccessLevel: level}
			assert.Equal(t, may, r.TableAccess(tab, true), "level %q, user level %s", level, user)
			assert.True(t, r.TableAccess(tab, false), "reading always passes")
		}
	}
}

// The table of chapter 4.2.
func TestTableRules(t *testing.T) {
	t.Parallel()
	tab := &store.Table{ID: 7, AccessLevel: "7"}
	for _, tc := range []struct {
		name        string
		rules       []tableRule
		unlisted    bool
		read, write bool
	}{
		{"no rule", nil, false, true, true},
		{"other tables excluded", []tableRule{{8, "A", true, false}}, false, true, true},
		{"other tables included", []tableRule{{8, "A", false, false}}, false, false, false},
		{"other tables included, unlisted may be read", []tableRule{{8, "A", false, false}}, true, true, false},
		{"excluded", []tableRule{{7, "A", true, false}}, true, false, false},
		{"excluded from writing", []tableRule{{7, "A", true, true}}, false, true, false},
		{"included", []tableRule{{8, "A", false, false}, {7, "A", false, false}}, false, true, true},
		{"included for reading", []tableRule{{7, "A", false, true}}, false, true, false},
		{"rules for reports do not count", []tableRule{{7, "R", true, false}, {8, "E", false, false}}, false, true, true},
		{"the first rule decides", []tableRule{{7, "A", false, false}, {7, "A", true, false}}, false, true, true},
	} {
		r := &Role{UserLevel: "CO", tables: tc.rules, readUnlisted: tc.unlisted}
		assert.Equal(t, tc.read, r.TableAccess(tab, false), tc.name)
		assert.Equal(t, tc.write, r.TableAccess(tab, true), tc.name)
	}
}

func TestColumnRules(t *testing.T) {
	t.Parallel()
	tab := &store.Table{ID: 7, AccessLevel: "7"}
	col := &store.Column{ID: 70, TableID: 7}
	button := &store.Column{ID: 70, TableID: 7, Ref: displaytype.Button, ProcessID: 5}
	for _, tc := range []struct {
		name        string
		col         *store.Column
		role        Role
		read, write bool
	}{
		{"no rule", col, Role{}, true, true},
		{"excluded", col, Role{columns: []columnRule{{7, 70, true, false}}}, false, false},
		{"excluded from writing", col, Role{columns: []columnRule{{7, 70, true, true}}}, true, false},
		{"included", col, Role{columns: []columnRule{{7, 70, false, false}}}, true, true},
		{"included for reading", col, Role{columns: []columnRule{{7, 70, false, true}}}, true, false},
		{"others of the table included", col, Role{columns: []columnRule{{7, 71, false, false}}}, false, false},
		{"included in another table", col, Role{columns: []columnRule{{8, 80, false, false}}}, true, true},
		{"table excluded", col, Role{tables: []tableRule{{7, "A", true, false}}}, false, false},
		{"button without its process", button, Role{}, false, false},
		{"button with its process", button, Role{Objects: map[ObjectKind]map[int64]grant{KindProcess: {5: {Read: true}}}}, true, true},
	} {
		tc.role.UserLevel = "CO"
		assert.Equal(t, tc.read, tc.role.columnAccess(tab, tc.col, false), tc.name)
		assert.Equal(t, tc.write, tc.role.columnAccess(tab, tc.col, true), tc.name)
	}
}

// Chapter 4.5.
func TestMayUpdate(t *testing.T) {
	t.Parallel()
	list := map[int64]OrgAccess{11: {ClientID: 11}, 12: {ClientID: 11, ReadOnly: true}}
	withStar := map[int64]OrgAccess{0: {ClientID: 11}, 11: {ClientID: 11}}
	for _, tc := range []struct {
		name                         string
		role                         Role
		session, client, org, record int64
		accessLevel                  string
		may                          bool
	}{
		{"system role", Role{UserLevel: "S", AllOrgs: true}, 0, 0, 0, 0, "4", true},
		{"system records need S", Role{UserLevel: "CO", clientID: 11, AllOrgs: true}, 11, 0, 0, 0, "7", false},
		{"another tenant", Role{UserLevel: "CO", clientID: 11, AllOrgs: true}, 11, 12, 0, 0, "7", false},
		{"a session of a tenant never writes another, whatever its level", Role{UserLevel: "S", clientID: 11, AllOrgs: true}, 11, 12, 0, 0, "7", false},
		{"tenant record with C", Role{UserLevel: "C", clientID: 11, AllOrgs: true}, 11, 11, 0, 0, "2", true},
		{"tenant record with O only", Role{UserLevel: "O", clientID: 11, Orgs: list}, 11, 11, 0, 0, "3", false},
		{"tenant record with O and the organization *", Role{UserLevel: "O", clientID: 11, Orgs: withStar}, 11, 11, 0, 0, "3", true},
		{"organization record with C only", Role{UserLevel: "C", clientID: 11, AllOrgs: true}, 11, 11, 11, 0, "7", false},
		{"organization listed", Role{UserLevel: "O", clientID: 11, Orgs: list}, 11, 11, 11, 0, "3", true},
		{"organization for reading", Role{UserLevel: "O", clientID: 11, Orgs: list}, 11, 11, 12, 0, "3", false},
		{"organization not listed", Role{UserLevel: "O", clientID: 11, Orgs: list}, 11, 11, 13, 0, "3", false},
		{"table level", Role{UserLevel: "O", clientID: 11, Orgs: list}, 11, 11, 11, 0, "6", false},
		{"record excluded", Role{UserLevel: "O", clientID: 11, Orgs: list, records: []*recordRule{{7, 5, true, true}}}, 11, 11, 11, 5, "3", false},
		{"another record excluded", Role{UserLevel: "O", clientID: 11, Orgs: list, records: []*recordRule{{7, 5, true, true}}}, 11, 11, 11, 6, "3", true},
		{"new record with include rules", Role{UserLevel: "O", clientID: 11, Orgs: list, records: []*recordRule{{7, 5, false, false}}}, 11, 11, 11, 0, "3", true},
		{"record not included", Role{UserLevel: "O", clientID: 11, Orgs: list, records: []*recordRule{{7, 5, false, false}}}, 11, 11, 11, 6, "3", false},
	} {
		s := &Session{ClientID: tc.session, Role: &tc.role}
		err := s.MayUpdate(&store.Table{ID: 7, Name: "T", AccessLevel: tc.accessLevel}, tc.client, tc.org, tc.record)
		if tc.may {
			assert.NoError(t, err, tc.name)
		} else {
			var denied *AccessDenied
			assert.ErrorAs(t, err, &denied, tc.name)
		}
	}
}

func TestMergeRules(t *testing.T) {
	t.Parallel()
	merge := func(rules, others []tableRule, relaxes bool) []tableRule {
		return mergeRules(slices.Clone(rules), others, relaxes, func(old *tableRule, n tableRule) bool { return old.tableID == n.tableID },
			func(old *tableRule, n tableRule) { old.exclude = old.exclude && n.exclude })
	}
	got := merge([]tableRule{{1, "R", true, false}}, []tableRule{{1, "A", true, false}, {2, "A", true, false}, {2, "R", true, false}}, false)
	assert.Equal(t, []tableRule{{1, "R", true, false}, {2, "A", true, false}, {2, "R", true, false}}, got,
		"an entry hides later ones of the same table, whatever their type")
	second := []tableRule{{2, "A", false, false}, {3, "A", true, false}}
	assert.False(t, merge(got, second, true)[1].exclude)
	assert.True(t, merge(got, second, true)[2].exclude, "the ERP relaxes the first that it finds alone")
	assert.True(t, merge(got, second, false)[1].exclude)
}

func TestIsCondition(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{"1=1", "R_Request.ConfidentialType<>'P'", "Name='it''s (fine; really) --'", `"A"=1 AND (B=2 OR C=3)`, "EXISTS (SELECT 1 FROM T WHERE T.X=1)"} {
		assert.True(t, isCondition(ok), ok)
	}
	for _, bad := range []string{"", "  ", "1=1)", "1=1) OR (1=1", "(1=1", "1=1; DROP TABLE X", "1=1 --", "1=1 /* x", "Name='open", "X=?", "X=:a", "X=$1", "[X]=1", "`X`=1", "1=1\x00"} {
		assert.False(t, isCondition(bad), bad)
	}
}

func TestValidationRuleContext(t *testing.T) {
	t.Parallel()
	s := &Session{ERP: &ERP{Options: Options{Clock: time.Now}}, ClientID: 11, UserID: 102, RoleID: 103, OrgID: 12}
	got, err := s.tableValRule("T.AD_Client_ID=@#AD_Client_ID@ AND T.CreatedBy IN (@#AD_User_ID@,@AD_Role_ID@) AND T.AD_Org_ID=@AD_Org_ID@")
	assert.NoError(t, err)
	assert.Equal(t, "T.AD_Client_ID=11 AND T.CreatedBy IN (102,103) AND T.AD_Org_ID=12", got)
	for _, bad := range []string{"X=@Unknown@", "X=@#AD_User_ID", "1=1) OR (1=1"} {
		_, err := s.tableValRule(bad)
		assert.Error(t, err, bad)
	}
}
