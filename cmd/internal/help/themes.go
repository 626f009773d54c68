package help

import "strings"

// crowded is from how many flags on a page groups them by theme.
const crowded = 16

// themes are what flags are about, on pages that have many. The rest comes first.
func themes() []struct{ title, flags string } {
	return []struct{ title, flags string }{
		{"Into the ERP", "format plugin offline output dialect stamp apply full dry-run sync-all"},
		{"The run", "resume checkpoint continue-on-error batch sync-process yes allow-destructive rehearse page-size rate"},
		{"Delivery", "deliver email dir option diff force"},
		{"Masking", "mask mask-own mask-rules mask-key"},
		{"Serving", "listen ready-file host origin public-url cors-origin metrics-listen stateless fail-on-missing"},
		{"Callers", "authorization-server jwt-secret-file jwt-issuer jwt-key verify-grace own-login confirm"},
		{"Tools", "backend toolsets default-toolsets read-only allow-tool deny-tool rules knowledge queries metrics audit"},
		{"Limits", "calls-per-minute session-tokens session-api-calls day-tokens day-api-calls redis redis-file requests-per-minute " +
			"statements-per-minute audit-mib-per-day statement-timeout"},
		{"What statements may read", "open-system-table open-table safe-view deny-table redact allow-function"},
		{"AI API", "ai-api-url ai-api-token ai-api-token-file ai-role-id provider-id ai-user-id"},
		{"Database", "database database-schema database-file database-wait database-zone audit-database audit-database-file audit-optional install base-language"},
	}
}

// themed groups the flags of a crowded page that are in no group.
func themed(groups []Group) []Group {
	n := 0
	for _, g := range groups {
		n += len(g.Entries)
	}
	if n < crowded || len(groups) != 1 || groups[0].Title != "" {
		return groups
	}
	var rest Group
	found := make([]Group, len(themes()))
	for _, e := range groups[0].Entries {
		_, name, _ := strings.Cut(e.Name, "--")
		name, _, _ = strings.Cut(name, " ")
		name, _, _ = strings.Cut(name, ",")
		to := &rest
		for i, t := range themes() {
			if strings.Contains(" "+t.flags+" ", " "+name+" ") {
				found[i].Title = t.title
				to = &found[i]
			}
		}
		to.Entries = append(to.Entries, e)
	}
	var all []Group
	for _, g := range append([]Group{rest}, found...) {
		if len(g.Entries) > 0 {
			all = append(all, g)
		}
	}
	return all
}
