package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A plugin and an ERP with something new, something that is gone, and what a reader of
// Java may stumble over.
var checkouts = map[string]string{
	"plugin/src/Names.java": `class Names { static final String TOP = "$top"; }`,
	"plugin/src/ThingResource.java": `package x;
/** @Path("v1/comment") public interface Comment { */
@Path("v1/things")
public interface ThingResource {
	@GET
	@Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
	// @Path("commented/out")
	public Response all(@QueryParam(Names.TOP) @DefaultValue("{}") int top, @QueryParam(value = "new") String s);

	@Path("{id: [0-9]+}/" + "parts")
	@POST
	public Response part(@PathParam("id") String id, String body);
}`,
	"plugin/src/CopyResource.java":      "@Path(\"v1/copies\")\npublic interface CopyResource extends ThingResource {\n}\n",
	"plugin/src.test/TestResource.java": `@Path("v1/test") public interface TestResource { @GET public Response t(); }`,
	"erp/src/I_C_Order.java": `public interface I_C_Order {
    public static final String Table_Name = "C_Order";
    public static final String COLUMNNAME_C_Order_ID = "C_Order_ID";
    public static final String COLUMNNAME_Novelty = "Novelty";
}`,
	"erp/src/I_X_New.java": `public interface I_X_New { String Table_Name = "X_New"; String COLUMNNAME_A = "A"; }`,
	"contract.yaml": `
paths:
  /things:
    get:
      parameters:
        - {name: locale, in: query}
        - $ref: '#/components/parameters/Top'
  /things/{key}/parts:
    post: {}
  /copies:
    get:
      parameters:
        - $ref: '#/components/parameters/Top'
        - {name: new, in: query}
  /gone:
    delete: {}
components:
  parameters:
    Top: {name: $top, in: query}
`,
}

func TestComparison(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range checkouts {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	plugin, erp, contract := filepath.Join(dir, "plugin"), filepath.Join(dir, "erp"), filepath.Join(dir, "contract.yaml")

	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-plugin", plugin, "-contract", contract}, &out))
	assert.Equal(t, `new: 2 routes and query parameters
  GET /things new
  POST /copies/{}/parts
gone: 1 routes and query parameters
  DELETE /gone
new: 0 tables and columns
`, out.String())

	out.Reset()
	require.NoError(t, run(t.Context(), []string{"-erp", erp}, &out))
	assert.Equal(t, `new: 2 tables and columns
  C_Order Novelty
  X_New
`, out.String())

	out.Reset()
	require.NoError(t, run(t.Context(), []string{"-plugin", plugin, "-erp", erp, "-contract", contract}, &out))
	assert.Contains(t, out.String(), "\n  C_BPartner\n", "gone")
	assert.NotContains(t, out.String(), "C_BPartner Name", "the column of a table that is gone")
	assert.Contains(t, out.String(), "\n  C_Order DocumentNo\n", "gone")
}

func TestWrongFolders(t *testing.T) {
	t.Parallel()
	contract := filepath.Join("..", "..", "erp", "contract", "current", "openapi.yaml")
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no folder":      {nil, "-plugin FOLDER"},
		"not there":      {[]string{"-plugin", "nowhere"}, "nowhere"},
		"not the plugin": {[]string{"-plugin", ".", "-contract", contract}, "should be a checkout of the REST plugin"},
		"not the ERP":    {[]string{"-erp", "."}, "should be a checkout of the ERP"},
	} {
		assert.ErrorContains(t, run(t.Context(), tt.args, &bytes.Buffer{}), tt.says, name)
	}
}
