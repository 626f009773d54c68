package pgmirror_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/pgmirror"
	"github.com/erphub/erphub/internal/testpg"
)

// The copy has the rows, the column types that the ERP has in PostgreSQL, and the
// keys.
func TestCopy(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	address := testpg.URL(t)
	m := open(t, srv, pgmirror.Options{URL: address})
	conn := connect(t, address)
	same(t, srv, m, conn)
	assert.Equal(t, []string{
		"c_bpartner_id numeric(10,0)", "documentno character varying(30)", "dateordered timestamp without time zone", "grandtotal numeric",
		"isactive character(1)", "c_order_uu uuid",
	}, list(t, conn, `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'adempiere.c_order'::regclass AND attname IN ('grandtotal', 'dateordered', 'isactive', 'documentno', 'c_bpartner_id', 'c_order_uu')
		ORDER BY array_position(ARRAY['c_bpartner_id', 'documentno', 'dateordered', 'grandtotal', 'isactive', 'c_order_uu']::name[], attname)`))
	assert.Equal(t, []string{"PRIMARY KEY (c_order_id)"}, list(t, conn, `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'adempiere.c_order'::regclass`))
	require.NotContains(t, m.String(), "test@")
}
