package tools_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

type generated struct {
	Generator, ArtifactID, Version, Output string
	Receipt                                *struct {
		Path, URL, SentTo string
		Written           int
	}
	Files []struct {
		Name, Content string
		Size, From    int
		Binary        bool
	}
	Total      int
	Truncated  bool
	NextCursor string
	Notes      []string
}

func (g generated) names() []string {
	names := make([]string, len(g.Files))
	for i, f := range g.Files {
		names[i] = f.Name
	}
	return names
}

func TestListGenerators(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type list struct {
		Generators []struct{ Name, Tool string }
		Outputs    []string
	}
	got := response[list](t, k, root, "listGenerators", args{})
	assert.Len(t, got.Generators, len(generator.Generators()))
	assert.Equal(t, []string{"response"}, got.Outputs)
	for _, g := range got.Generators {
		_, ok := k.set.Tool(g.Tool)
		assert.True(t, ok, g.Tool)
	}
	type info struct {
		Name, Tool string
		Options    []struct {
			Name, Type string
			Required   bool
		}
	}
	for _, g := range generator.Generators() {
		one := response[info](t, k, root, "getGeneratorInfo", args{"generator": g.Name})
		assert.Len(t, one.Options, len(g.Options), g.Name)
	}
	e := refusal(t, k, root, "getGeneratorInfo", args{"generator": "calout"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Hint, "callout")
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	k := shared(t)
	plugin := response[generated](t, k, root, "generatePlugin", args{"artifactId": "com.example.demo", "components": "process:ImportOrders"})
	assert.Equal(t, "com.example.demo", plugin.ArtifactID)
	assert.Contains(t, plugin.names(), "META-INF/MANIFEST.MF")
	assert.Len(t, plugin.Files, plugin.Total)
	for _, f := range plugin.Files {
		assert.Empty(t, f.Content)
		assert.Positive(t, f.Size, f.Name)
	}
	manifest := response[generated](t, k, root, "generatePlugin", args{"artifactId": "com.example.demo", "show": "content", "files": "META-INF/MANIFEST.MF"})
	require.Len(t, manifest.Files, 1)
	assert.Contains(t, manifest.Files[0].Content, "Bundle-SymbolicName: com.example.demo")

	for tool, question := range map[string]args{
		"generateModel":   {"artifactId": "com.example.model", "tables": []string{"c_order"}},
		"generateProcess": {"artifactId": "com.example.process", "class": "ImportOrders", "parameters": "C_BPartner_ID:TableDirect:mandatory"},
		"generateCallout": {"artifactId": "com.example.callout", "class": "OrderCallout", "columns": "C_Order.C_BPartner_ID"},
		"runGenerator":    {"generator": "event-handler", "options": args{"artifactId": "com.example.events", "class": "OrderEvents", "table": "C_Order"}},
	} {
		got := response[generated](t, k, root, tool, question)
		assert.NotEmpty(t, got.Files, tool)
		assert.Nil(t, got.Receipt, tool)
	}
	same, err := generator.Generate(t.Context(), nil, "callout", map[string]any{"artifactId": "com.example.callout", "class": "OrderCallout", "columns": []string{"C_Order.C_BPartner_ID"}})
	require.NoError(t, err)
	got := response[generated](t, k, root, "generateCallout", args{"artifactId": "com.example.callout", "class": "OrderCallout", "columns": "C_Order.C_BPartner_ID"})
	assert.Equal(t, same.Tree.Names(), got.names())
}

// Pages put together are the files, byte by byte.
func TestGenerateShowsContents(t *testing.T) {
	t.Parallel()
	k := shared(t)
	reg, err := k.rest.Registry(t.Context(), k.as(t, root))
	require.NoError(t, err)
	options := args{"artifactId": "com.example.model", "tables": []string{"C_Order", "C_Invoice", "M_Product"}}
	want, err := generator.Generate(t.Context(), reg, "model", options)
	require.NoError(t, err)
	texts := map[string]string{}
	question := with(options, args{"show": "content"})
	pages := 0
	for {
		pages++
		page := response[generated](t, k, root, "generateModel", question)
		require.NotEmpty(t, page.Files)
		for _, f := range page.Files {
			require.Len(t, texts[f.Name], f.From, f.Name)
			texts[f.Name] += f.Content
		}
		if !page.Truncated {
			break
		}
		question["cursor"] = page.NextCursor
	}
	assert.Greater(t, pages, 2)
	assert.Len(t, texts, want.Tree.Len())
	for _, f := range want.Tree.Files() {
		assert.Equal(t, string(f.Content), texts[f.Name], f.Name)
	}
	refusal(t, k, root, "generateModel", with(question, args{"artifactId": "com.example.other"}), mcp.CodeInvalidArguments)
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	k := shared(t)
	for name, tc := range map[string]struct {
		tool      string
		arguments args
		code      string
		says      string
	}{
		"a path as a name":      {"generatePlugin", args{"artifactId": "../../etc/passwd"}, mcp.CodeInvalidArguments, "artifactId"},
		"an absolute path":      {"generatePlugin", args{"artifactId": "/etc/cron.d/x"}, mcp.CodeInvalidArguments, "artifactId"},
		"a Windows path":        {"generatePlugin", args{"artifactId": `c:\windows\x`}, mcp.CodeInvalidArguments, "artifactId"},
		"a class that is code":  {"generateProcess", args{"artifactId": "com.example.a", "class": `A{}; class B`}, mcp.CodeInvalidArguments, "class"},
		"no name":               {"generatePlugin", args{}, mcp.CodeInvalidArguments, "artifactId"},
		"an unknown option":     {"generateCallout", args{"artifactId": "com.example.a", "class": "A", "columns": "C_Order.*", "colums": "x"}, mcp.CodeInvalidArguments, "columns"},
		"an unknown table":      {"generateModel", args{"artifactId": "com.example.a", "tables": "C_Ordr"}, mcp.CodeNotFound, "C_Order"},
		"an unknown generator":  {"runGenerator", args{"generator": "virus", "options": args{}}, mcp.CodeInvalidArguments, "generator"},
		"options missing":       {"runGenerator", args{"generator": "process"}, mcp.CodeInvalidArguments, "options"},
		"options empty":         {"runGenerator", args{"generator": "process", "options": args{}}, mcp.CodeInvalidArguments, "class"},
		"an unknown one of any": {"runGenerator", args{"generator": "process", "options": args{"artifactId": "com.example.a", "class": "A", "evil": 1}}, mcp.CodeInvalidArguments, "evil"},
		"a file there is not":   {"generatePlugin", args{"artifactId": "com.example.a", "files": "META-INF/MANIFEST.M", "show": "content"}, mcp.CodeNotFound, "META-INF/MANIFEST.MF"},
		"a file outside":        {"generatePlugin", args{"artifactId": "com.example.a", "files": "../../etc/passwd", "show": "content"}, mcp.CodeNotFound, ""},
		"output not allowed":    {"generatePlugin", args{"artifactId": "com.example.a", "output": "filesystem"}, mcp.CodePermissionDenied, "response"},
		"mail not allowed":      {"generatePlugin", args{"artifactId": "com.example.a", "output": "email", "email": "a@example.com"}, mcp.CodePermissionDenied, "response"},
		"an archive":            {"generatePlugin", args{"artifactId": "com.example.a", "output": "archive"}, mcp.CodeInvalidArguments, "output"},
		"an address for none":   {"generatePlugin", args{"artifactId": "com.example.a", "email": "a@example.com"}, mcp.CodeInvalidArguments, "email"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := refusal(t, k, root, tc.tool, tc.arguments, tc.code)
			assert.Contains(t, e.Error(), tc.says)
		})
	}
	t.Run("without a token", func(t *testing.T) {
		t.Parallel()
		_, err := k.invoke(t, &mcp.Call{}, "generateModel", args{"artifactId": "com.example.a", "tables": "C_Order"})
		assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	})
}

// What needs no dictionary is generated where no backend has one.
func TestGenerateWithoutADictionary(t *testing.T) {
	t.Parallel()
	pool, err := backend.NewPool("", nothing{})
	require.NoError(t, err)
	k := shared(t).with(t, func(o *tools.Options) { o.Pool = pool })
	got := response[generated](t, k, root, "generateCallout", args{"artifactId": "com.example.callout", "class": "OrderCallout", "columns": "C_Order.C_BPartner_ID"})
	assert.NotEmpty(t, got.Files)
	refusal(t, k, root, "generateModel", args{"artifactId": "com.example.model", "tables": "C_Order"}, mcp.CodeUnsupported)
}

// nothing is a backend that can only say its name.
type nothing struct{}

func (nothing) Name() backend.Name                                { return backend.CLI }
func (nothing) Check(context.Context, mcp.Caller) (string, error) { return "", nil }

func deliveries(t *testing.T, settings map[string]string, o delivery.Options) *delivery.Deliveries {
	t.Helper()
	o.Setting = func(key string) string { return settings[key] }
	d, err := delivery.New(o)
	require.NoError(t, err)
	return d
}

func TestGenerateIntoAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	allowed := []generator.Mode{generator.ModeFilesystem, generator.ModeEmail}
	k := shared(t).with(t, func(o *tools.Options) {
		o.Generator = tools.GeneratorOptions{Deliveries: deliveries(t, nil, delivery.Options{Directory: dir}), Modes: allowed}
	})
	question := args{"artifactId": "com.example.callout", "class": "OrderCallout", "columns": "C_Order.C_BPartner_ID", "output": "filesystem"}
	got := response[generated](t, k, root, "generateCallout", question)
	require.NotNil(t, got.Receipt)
	assert.Equal(t, filepath.Join(dir, "com.example.callout"), got.Receipt.Path)
	assert.Equal(t, got.Total, got.Receipt.Written)
	manifest, err := os.ReadFile(filepath.Join(got.Receipt.Path, "META-INF", "MANIFEST.MF"))
	require.NoError(t, err)
	assert.Contains(t, string(manifest), "com.example.callout")
	again := response[generated](t, k, root, "generateCallout", question)
	assert.Zero(t, again.Receipt.Written, "nothing is written twice")
	e := refusal(t, k, root, "generateCallout", with(question, args{"class": "OtherCallout"}), mcp.CodeConflict)
	assert.Contains(t, e.Message, "nothing was written")
	refusal(t, k, root, "generateCallout", with(question, args{"artifactId": "../outside"}), mcp.CodeInvalidArguments)
	refusal(t, k, root, "generateCallout", with(question, args{"output": "url"}), mcp.CodePermissionDenied)
	refusal(t, k, root, "generateCallout", with(question, args{"output": "email", "email": "a@example.com"}), mcp.CodeUnsupported)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)

	// Without a configured folder nothing is written, whatever is allowed.
	bare := shared(t).with(t, func(o *tools.Options) {
		o.Generator = tools.GeneratorOptions{Deliveries: deliveries(t, nil, delivery.Options{}), Modes: allowed}
	})
	refusal(t, bare, root, "generateCallout", question, mcp.CodeUnsupported)
	careless := shared(t).with(t, func(o *tools.Options) {
		o.Generator = tools.GeneratorOptions{Deliveries: anywhere{}, Modes: allowed}
	})
	refusal(t, careless, root, "generateCallout", question, mcp.CodeUnsupported)
}

// anywhere is a careless configuration: the working directory.
type anywhere struct{}

func (anywhere) Choose(context.Context, string, string) (generator.Mode, generator.Delivery, error) {
	return generator.ModeFilesystem, &generator.Filesystem{}, nil
}

// What leaves the house is asked about first.
func TestGenerateAsksBeforeMail(t *testing.T) {
	t.Parallel()
	host, port, err := net.SplitHostPort(testsmtp.StartFaulty(t, testsmtp.Faults{}).Addr)
	require.NoError(t, err)
	var sent counting
	k := shared(t).with(t, func(o *tools.Options) {
		sent.Deliveries = deliveries(t, map[string]string{
			delivery.KeySMTPHost: host, delivery.KeySMTPPort: port, delivery.KeySMTPSecurity: "none", delivery.KeyFrom: "hub@example.com",
		}, delivery.Options{})
		o.Generator = tools.GeneratorOptions{Deliveries: &sent, Modes: []generator.Mode{generator.ModeEmail}}
	})
	question := args{"artifactId": "com.example.callout", "class": "OrderCallout", "columns": "C_Order.C_BPartner_ID", "output": "email", "email": "dev@example.com"}
	_, err = k.invoke(t, &mcp.Call{Caller: k.as(t, root)}, "generateCallout", question)
	var asked *mcp.ConfirmationRequired
	require.ErrorAs(t, err, &asked)
	assert.Contains(t, asked.Message, "dev@example.com")
	reply := func(agreed bool) (json.RawMessage, error) {
		return k.invoke(t, &mcp.Call{Caller: k.as(t, root), Confirm: func(context.Context, string) (bool, error) { return agreed, nil }}, "generateCallout", question)
	}
	_, err = reply(false)
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	assert.Zero(t, sent.delivered.Load())
	raw, err := reply(true)
	require.NoError(t, err)
	got := decoded[generated](t, raw)
	assert.Equal(t, "dev@example.com", got.Receipt.SentTo)
	assert.EqualValues(t, 1, sent.delivered.Load())
}

// counting counts what is really delivered.
type counting struct {
	tools.Deliveries
	delivered atomic.Int32
}

func (c *counting) Choose(ctx context.Context, output, email string) (generator.Mode, generator.Delivery, error) {
	mode, d, err := c.Deliveries.Choose(ctx, output, email)
	return mode, counted{d, &c.delivered}, err
}

type counted struct {
	generator.Delivery
	n *atomic.Int32
}

func (c counted) Deliver(ctx context.Context, a *generator.Artifact, p generator.Progress) (*generator.Receipt, error) {
	c.n.Add(1)
	return c.Delivery.Deliver(ctx, a, p)
}
