package store

import "testing"

func TestWrittenTable(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"INSERT INTO REST_AuthToken(Token) VALUES(?)":       "REST_AuthToken",
		"\n\tupdate \"AD_User\" SET Name=?":                 "AD_User",
		"DELETE FROM AD_ChangeLog":                          "AD_ChangeLog",
		"DELETE FROM AD_SysConfig WHERE Name IN (SELECT 1)": "AD_SysConfig",
		"UPDATE OR REPLACE C_UOM SET Name=?":                "",
		"INSERT OR IGNORE INTO C_UOM VALUES(1)":             "",
		"DELETE FROM a; DROP TABLE b":                       "",
		"WITH x AS (SELECT 1) UPDATE C_UOM SET Name=?":      "",
		"DROP TABLE C_UOM":                                  "",
		"ALTER TABLE C_UOM ADD COLUMN x":                    "",
		"CREATE TABLE update_x (a)":                         "",
		"UPDATE main.C_UOM SET Name=?":                      "",
		"":                                                  "",
	} {
		if got, ok := writtenTable(query); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", query, got, ok, want)
		}
	}
}
