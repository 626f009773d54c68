package erp_test

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// partners are bodies of new business partners.
func partners(first, n int) []erp.Write {
	writes := make([]erp.Write, n)
	for i := range writes {
		writes[i].Body = map[string]any{"Value": fmt.Sprintf("ZW%05d", first+i), "Name": fmt.Sprintf("Written %d", first+i), "C_BP_Group_ID": 103}
	}
	return writes
}

// written are the search keys of the partners that are there, in order.
func writtenPartners(t *testing.T, client *erp.Client) []string {
	t.Helper()
	var values []string
	for rec, err := range client.Records(t.Context(), "C_BPartner", &erp.Query{Filter: erp.StartsWith("Value", "ZW"), Select: []string{"Value"}, OrderBy: []string{"Value"}}) {
		require.NoError(t, err)
		value, _ := rec.Text("Value")
		values = append(values, value)
	}
	return values
}

func TestWriteRecords(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()
	writes := partners(0, 25)
	const given = "0f0e0d0c-0000-4000-8000-000000000001"
	writes[3].UUID = given
	results, err := client.WriteRecords(ctx, "C_BPartner", writes, &erp.WriteOptions{BatchSize: 10})
	require.NoError(t, err)
	require.Len(t, results, 25)
	for i, r := range results {
		require.NoError(t, r.Err)
		assert.Equal(t, i, r.Index)
		assert.Equal(t, r.UUID, r.Record.UUID())
	}
	assert.Equal(t, given, results[3].UUID)
	assert.Len(t, writtenPartners(t, client), 25)

	// Changes, creations and refusals in one: what is refused keeps nothing else back.
	mixed := append(partners(25, 2), erp.Write{ID: results[0].Record.ID(), Body: map[string]any{"Name": "Changed"}},
		erp.Write{Body: map[string]any{"Value": "ZW00000", "Name": "Double", "C_BP_Group_ID": 103}},
		erp.Write{Body: map[string]any{"Value": "ZW99999", "Nmae": "?"}})
	again, err := client.WriteRecords(ctx, "C_BPartner", mixed, nil)
	require.NoError(t, err)
	require.NoError(t, errors.Join(again[0].Err, again[1].Err, again[2].Err))
	name, _ := again[2].Record.Text("Name")
	assert.Equal(t, "Changed", name)
	require.ErrorIs(t, again[3].Err, erp.ErrExists)
	require.ErrorContains(t, again[4].Err, "Nmae")
	assert.Len(t, writtenPartners(t, client), 27)

	// In one transaction the first refusal undoes all.
	_, err = client.WriteRecords(ctx, "C_BPartner", append(partners(30, 5), mixed[3]), &erp.WriteOptions{AllOrNothing: true, BatchSize: 2})
	var failed *erp.BatchError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, 5, failed.Index)
	assert.Len(t, writtenPartners(t, client), 27)
	_, err = client.WriteRecords(ctx, "C_BPartner", make([]erp.Write, erp.MaxTransaction+1), &erp.WriteOptions{AllOrNothing: true})
	require.ErrorIs(t, err, erp.ErrInvalid)

	for name, writes := range map[string][]erp.Write{
		"no object": {{Body: 5}}, "no UUID": {{UUID: "x"}}, "no UUID in the body": {{Body: map[string]any{"C_BPartner_UU": "x"}}},
	} {
		_, err := client.WriteRecords(ctx, "C_BPartner", writes, nil)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
}

// A request without a clear response makes nothing twice, wherever it is cut.
func TestWriteRecordsCut(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]erptest.Action{
		"before": erptest.CutBefore(), "after": erptest.CutAfter(), "in the middle": erptest.CutMiddle(),
		"away": erptest.Fail(http.StatusServiceUnavailable), "too many": erptest.Fail(http.StatusTooManyRequests, erptest.RetryAfter(0)),
		"twice": erptest.Duplicate(), "too large": erptest.Fail(http.StatusRequestEntityTooLarge),
	} {
		for _, opts := range []erp.WriteOptions{{BatchSize: 10}, {AllOrNothing: true}} {
			if name == "too large" && opts.AllOrNothing {
				continue // there is no smaller request
			}
			t.Run(fmt.Sprintf("%s, all or nothing %t", name, opts.AllOrNothing), func(t *testing.T) {
				t.Parallel()
				srv, client := embedded(t)
				srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, action)
				results, err := client.WriteRecords(t.Context(), "C_BPartner", partners(0, 20), &opts)
				require.NoError(t, err)
				require.Len(t, results, 20)
				for _, r := range results {
					require.NoError(t, r.Err)
					assert.Equal(t, r.UUID, r.Record.UUID())
				}
				assert.Len(t, writtenPartners(t, client), 20)
			})
		}
	}
}

// Servers of earlier releases know no batch.
func TestWriteRecordsWithoutBatch(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	srv.Faults().On(erptest.Match{Path: "/batch"}, erptest.Fail(http.StatusNotFound))
	srv.Faults().On(erptest.Match{Method: "POST", Path: "/models/C_BPartner", N: 2}, erptest.CutAfter())
	writes := append(partners(0, 4), partners(0, 1)...)
	results, err := client.WriteRecords(t.Context(), "C_BPartner", writes, nil)
	require.NoError(t, err)
	assert.True(t, results[1].Found, "its response was lost")
	require.ErrorIs(t, results[4].Err, erp.ErrExists)
	assert.Len(t, writtenPartners(t, client), 4)
}

// What an earlier run made under the same UUIDs is found, not made again.
func TestWriteRecordsResumed(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	writes := partners(0, 6)
	for i := range writes {
		writes[i].UUID = fmt.Sprintf("0f0e0d0c-0000-4000-8000-%012d", i)
	}
	_, err := client.WriteRecords(t.Context(), "C_BPartner", writes[:4], nil)
	require.NoError(t, err)
	results, err := client.WriteRecords(t.Context(), "C_BPartner", writes, &erp.WriteOptions{Resumed: true})
	require.NoError(t, err)
	for i, r := range results {
		require.NoError(t, r.Err)
		assert.Equal(t, i < 4, r.Found)
	}
	assert.Len(t, writtenPartners(t, client), 6)
}

// When the server stays away, the results are those of what is settled.
func TestWriteRecordsGivesUp(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	srv.Faults().On(erptest.Match{Path: "/batch", N: 2, Times: 100}, erptest.CutBefore())
	results, err := client.WriteRecords(t.Context(), "C_BPartner", partners(0, 30), &erp.WriteOptions{BatchSize: 10, Attempts: 2})
	require.ErrorIs(t, err, erp.ErrUnreachable)
	assert.Len(t, results, 10)
	assert.Len(t, writtenPartners(t, client), 10)
}

func bodiesOf(writes []erp.Write, end error) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, w := range writes {
			if !yield(w.Body, nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

func TestCreateAll(t *testing.T) {
	t.Parallel()
	broken := errors.New("the file ends here")
	for _, parallel := range []int{0, 3} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			t.Parallel()
			_, client := embedded(t)
			writes := append(partners(0, 23), partners(5, 1)...) // the last is there already
			n := 0
			var last error
			for made, err := range client.CreateAll(t.Context(), "C_BPartner", bodiesOf(writes, broken), &erp.WriteOptions{BatchSize: 4, Parallel: parallel}) {
				if last = err; err != nil {
					break
				}
				assert.Equal(t, n, made.Index)
				assert.Equal(t, n == 23, made.Err != nil, made.Err)
				n++
			}
			require.ErrorIs(t, last, broken)
			assert.Equal(t, 24, n)
			assert.Len(t, writtenPartners(t, client), 23)

			for range client.CreateAll(t.Context(), "C_BPartner", bodiesOf(partners(100, 23), nil), &erp.WriteOptions{BatchSize: 4}) {
				break
			}
			assert.LessOrEqual(t, len(writtenPartners(t, client)), 23+8, "who leaves does not have the rest written")

			for _, err := range client.CreateAll(t.Context(), "C_BPartner", bodiesOf(partners(200, 9), broken), &erp.WriteOptions{AllOrNothing: true}) {
				require.ErrorIs(t, err, broken)
			}
			assert.NotContains(t, writtenPartners(t, client), "ZW00200")
		})
	}
}
