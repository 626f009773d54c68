package pgmirror_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/pgmirror"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// client is logged in as GardenAdmin.
func client(t *testing.T, srv *erptest.Server) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	return c
}

// After each write that the ERP has acknowledged the copy is what the ERP is,
// whatever was written, how, and whether it failed. ERPHUB_MIRROR_STEPS writes
// more, ERPHUB_MIRROR_SEED others.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	number := func(variable string, def uint64) uint64 {
		n, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
		if err != nil {
			return def
		}
		return n
	}
	for name, path := range map[string]string{"in memory": "", "in a file": t.TempDir() + "/erp.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := fewer
			if os.Getenv("ERPHUB_MIRROR_STEPS") != "" {
				start = func(t *testing.T, o ...erptest.Options) *erptest.Server { t.Helper(); return erptest.New(t, o...) }
			}
			srv := start(t, erptest.Options{Path: path})
			address := testpg.URL(t)
			m, conn := open(t, srv, pgmirror.Options{URL: address, Empty: large()}), connect(t, address)
			h := &history{t: t, srv: srv, client: client(t, srv), rnd: rand.New(rand.NewPCG(number("ERPHUB_MIRROR_SEED", 1), 0))}
			kinds := h.kinds()
			for step := range number("ERPHUB_MIRROR_STEPS", uint64(len(kinds))) {
				i := h.rnd.IntN(len(kinds))
				if step < uint64(len(kinds)) { // each at least once
					i = int(step)
				}
				kinds[i].do()
				same(t, srv, m, conn, large(), fmt.Sprintf("step %d: %s", step, kinds[i].name))
			}
		})
	}
}

// history writes to an ERP.
type history struct {
	t      *testing.T
	srv    *erptest.Server
	client *erp.Client
	rnd    *rand.Rand
	made   []string // UUIDs of partners
	tables int
}

type kind struct {
	name string
	do   func()
}

func (h *history) kinds() []kind {
	t := h.t
	sqlWrite := func(statements ...func() string) func() {
		return func() {
			var list []string
			for _, s := range statements {
				list = append(list, s())
			}
			write(t, h.srv, list...)
		}
	}
	order := func() int { return 100 + h.rnd.IntN(10) }
	return []kind{
		{"a record is made by REST", h.create},
		{"one is changed", h.update},
		{"one is removed", h.remove},
		{"a batch fails in its middle", h.batch},
		{"somebody logs in", func() { h.client = client(t, h.srv) }},
		{"rows of several tables", sqlWrite(
			func() string {
				return fmt.Sprintf(`UPDATE C_Order SET Description='é \ "%d" ' || char(9) || char(10), GrandTotal='%d.50' WHERE C_Order_ID=%d`, h.rnd.Int(), h.rnd.IntN(1e6), order())
			},
			func() string {
				return fmt.Sprintf(`UPDATE C_OrderLine SET QtyOrdered='%d' WHERE C_Order_ID=%d`, h.rnd.IntN(99), order())
			},
		)},
		{"keys are moved", sqlWrite(func() string {
			return `UPDATE C_UOM SET C_UOM_ID = CASE C_UOM_ID WHEN 100 THEN 101 WHEN 101 THEN 100 ELSE C_UOM_ID END + 500000`
		}, func() string { return `UPDATE C_UOM SET C_UOM_ID = C_UOM_ID - 500000` })},
		{"all rows are removed", sqlWrite(func() string { return `DELETE FROM AD_ChangeLog` })},
		{"a table of several keys", sqlWrite(func() string {
			return fmt.Sprintf(`UPDATE AD_User_Roles SET IsActive=CASE IsActive WHEN 'Y' THEN 'N' ELSE 'Y' END WHERE AD_User_ID=%d`, 100+h.rnd.IntN(3))
		})},
		{"a write fails", func() {
			err := h.srv.Write(t.Context(), func(tx *sql.Tx) error {
				if _, err := tx.ExecContext(t.Context(), `UPDATE C_BPartner SET Name='never'`); err != nil {
					return err
				}
				return context.Canceled
			})
			require.ErrorIs(t, err, context.Canceled)
		}},
		{"a table is added", func() {
			h.tables++
			write(t, h.srv,
				fmt.Sprintf(`CREATE TABLE "Hist_%d" ("Hist_%[1]d_ID" INTEGER PRIMARY KEY, "A" VARCHAR(10))`, h.tables), dictionaryOf(fmt.Sprintf("Hist_%d", h.tables)))
		}},
		{"a column is added", func() {
			write(t, h.srv, fmt.Sprintf(`ALTER TABLE C_Charge ADD COLUMN "Extra_%d" DECIMALTEXT COLLATE DECIMAL DEFAULT '1.5'`, h.rnd.Int()))
		}},
	}
}

// dictionaryOf copies the record of a table for another one.
func dictionaryOf(table string) string {
	return fmt.Sprintf(`INSERT INTO AD_Table (AD_Table_ID, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy, Name, TableName,
		IsView, AccessLevel, EntityType, IsSecurityEnabled, IsDeleteable, IsHighVolume, IsChangeLog, ReplicationType)
		SELECT (SELECT MAX(AD_Table_ID) FROM AD_Table) + 1, 0, 0, 'Y', Created, 0, Updated, 0, '%[1]s', '%[1]s', 'N', '3', 'U', 'N', 'Y', 'N', 'N', 'L' FROM AD_Table WHERE AD_Table_ID=259`, table)
}

func (h *history) create() {
	r, err := h.client.Create(h.t.Context(), "C_BPartner", map[string]any{
		"Value": fmt.Sprint("H", h.rnd.Int64()), "Name": "History <&> \u0001 ä", "C_BP_Group_ID": 103,
	})
	require.NoError(h.t, err)
	h.made = append(h.made, r.UUID())
}

func (h *history) update() {
	if len(h.made) == 0 {
		h.create()
	}
	_, err := h.client.Update(h.t.Context(), "C_BPartner", erp.UUID(h.made[h.rnd.IntN(len(h.made))]), map[string]any{
		"Name": fmt.Sprint("Changed ", h.rnd.Int()), "SO_CreditLimit": h.rnd.IntN(1000),
	})
	require.NoError(h.t, err)
}

func (h *history) remove() {
	if len(h.made) == 0 {
		h.create()
	}
	i := h.rnd.IntN(len(h.made))
	require.NoError(h.t, h.client.Delete(h.t.Context(), "C_BPartner", erp.UUID(h.made[i])))
	h.made = append(h.made[:i], h.made[i+1:]...)
}

// batch is undone as a whole.
func (h *history) batch() {
	partner := map[string]any{"Value": "Never", "Name": "Never", "C_BP_Group_ID": 103}
	_, err := h.client.Batch(h.t.Context(), []erp.BatchRequest{erp.BatchCreate("C_BPartner", partner), erp.BatchCreate("C_Nothing", partner)},
		erp.BatchOptions{})
	require.Error(h.t, err)
}

// Readers see what one transaction of the ERP wrote together, at any time.
func TestOneState(t *testing.T) {
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	m := open(t, srv, pgmirror.Options{URL: address, Empty: large()})
	tables := []string{"C_Order", "C_OrderLine", "C_BPartner"}
	move := func(n int) {
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			for _, table := range tables {
				if _, err := tx.ExecContext(t.Context(), "UPDATE "+table+" SET Description=?", strconv.Itoa(n)); err != nil {
					return err
				}
			}
			return nil
		}, tables...))
	}
	move(0)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 3 {
		conn := connect(t, address)
		all.Go(func() {
			for ctx.Err() == nil {
				leave, err := m.Enter(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				tx, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
				if assert.NoError(t, err) {
					seen := map[string]bool{}
					for _, table := range tables {
						rows, err := tx.Query(t.Context(), "SELECT DISTINCT description FROM adempiere."+table)
						assert.NoError(t, err)
						texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
						assert.NoError(t, err)
						for _, text := range texts {
							seen[text] = true
						}
					}
					assert.Len(t, seen, 1)
					assert.NoError(t, tx.Rollback(t.Context()))
				}
				leave()
			}
		})
	}
	for n := range 12 {
		move(n)
		enter(t, m)
	}
	cancel()
	all.Wait()
}
