package licences

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIdentify(t *testing.T) {
	t.Parallel()
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that the following conditions are met:\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"Apache":           {"   Apache License\n     Version 2.0, January 2004", []string{"Apache-2.0"}},
		"MIT over lines":   {"Permission is hereby granted, free of\ncharge, to any person obtaining a copy", []string{"MIT"}},
		"BSD, two clauses": {bsd, []string{"BSD-2-Clause"}},
		"BSD, three":       {bsd + "names of contributors may be used to endorse or promote products", []string{"BSD-3-Clause"}},
		"MPL":              {"Mozilla Public License, version 2.0 ... GNU General Public License, GNU Lesser General Public License", []string{"MPL-2.0"}},
		"GPL":              {"GNU GENERAL PUBLIC LICENSE Version 3", []string{"GPL"}},
		"two in one":       {"Apache License Version 2.0 ... Permission is hereby granted, free of charge, to any person obtaining a copy", []string{"Apache-2.0", "MIT"}},
		"unknown":          {"All rights reserved.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Identify([]byte(c.text)))
		})
	}
}

// permissive are the licences under which what is linked may be given on with ours.
var permissive = []string{"Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "MPL-2.0", "Unlicense"}

// The document names what is linked today, and nothing of it has a licence that
// would bind those who use it.
func TestDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	modules, err := Linked(t.Context(), "../..", Systems, "./cmd/...")
	require.NoError(t, err)
	require.Greater(t, len(modules), 20)
	for _, m := range modules {
		assert.Subset(t, permissive, m.Licences, m.Path)
		assert.NotEmpty(t, m.Files, m.Path)
	}
	text, err := os.ReadFile("../../docs/licences.md")
	require.NoError(t, err)
	assert.Equal(t, string(Document(modules)), string(text), "run go generate . at the module's root")
}
