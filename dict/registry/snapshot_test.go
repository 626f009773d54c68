package registry

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

// twoTables is the payload of a small catalog.
func twoTables() []byte {
	c := content{
		tables: []Table{{ID: 1, Name: "A_One", Active: true, Label: "One"}, {ID: 2, Name: "A_Two", View: true, UUID: "u"}},
		columns: []Column{{ID: 1, TableID: 1, Name: "Name", Type: dict.TypeString, Active: true},
			{ID: -5, TableID: 2, Name: "Name", Type: dict.TypeList, ReferenceID: 1 << 40}},
	}
	stamps := make([]Stamp, len(rowKinds()))
	stamps[0] = Stamp{Rows: 2, Mark: "2026", Unsettled: true}
	stamps[13].Missing = true
	return encodeSnapshot(newCatalog(c, nil, "here", stamps, time.Unix(0, 0)))
}

func TestSnapshotKeepsEverything(t *testing.T) {
	t.Parallel()
	payload, err := checkSnapshot(twoTables())
	require.NoError(t, err)
	c, err := decodeSnapshot(payload, "here", time.Unix(7, 0))
	require.NoError(t, err)
	require.Equal(t, twoTables(), encodeSnapshot(c))
	require.Equal(t, time.Unix(7, 0), c.loaded)
	require.Equal(t, 1<<40, c.columns[1].ReferenceID)
	require.True(t, c.stamps[0].Unsettled && c.stamps[13].Missing)
}

// FuzzSnapshot reads payloads whose checksum is right, because that is all the
// checksum proves.
func FuzzSnapshot(f *testing.F) {
	good := twoTables()[snapshotHeader:]
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Add(append([]byte{4, 'h', 'e', 'r', 'e', 14}, bytes.Repeat([]byte{0}, 80)...))
	f.Fuzz(func(t *testing.T, payload []byte) {
		file := make([]byte, snapshotHeader, snapshotHeader+len(payload))
		copy(file, magic())
		binary.LittleEndian.PutUint32(file[8:], layout(rowKinds()))
		binary.LittleEndian.PutUint32(file[12:], crc32.Checksum(payload, castagnoli))
		binary.LittleEndian.PutUint64(file[16:], uint64(len(payload)))
		checked, err := checkSnapshot(append(file, payload...))
		require.NoError(t, err)
		c, err := decodeSnapshot(checked, "here", time.Now())
		if err != nil {
			require.ErrorIs(t, err, errSnapshot)
			return
		}
		ctx := context.Background()
		again, err := checkSnapshot(encodeSnapshot(c))
		require.NoError(t, err)
		_, err = decodeSnapshot(again, "here", time.Now())
		require.NoError(t, err)
		_, err = c.Statistics(ctx)
		require.NoError(t, err)
		for _, table := range c.tables {
			_, _ = c.Table(ctx, table.Name)
		}
		_, err = c.Search(ctx, SearchQuery{Text: "name"})
		require.NoError(t, err)
	})
}
