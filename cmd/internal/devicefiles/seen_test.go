package devicefiles

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target/lint"
)

// Each device gets the files of its folder or of its name, with the time at which the snapshot asked it. A file of two snapshots has no
// time.
func TestSeen(t *testing.T) {
	at := time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	of := func(name string, when time.Time) snapshot.Device {
		return snapshot.Device{Name: name, When: when, Answers: []snapshot.Answer{{File: name + "/route.json"}}}
	}
	read := &Found{
		Files: []lint.File{
			{Name: "s/leaf1/route.json"}, {Name: "s/leaf10/route.json"}, {Name: "s/leaf2-route.json"}, {Name: "s/other/route.json"},
		},
		Snapshots: []*snapshot.Manifest{
			{Devices: []snapshot.Device{of("leaf1", at), of("leaf10", at)}}, {Devices: []snapshot.Device{of("leaf10", at.Add(time.Hour))}},
		},
	}
	f := &ir.Fabric{}
	for _, name := range []string{"leaf1", "leaf10", "leaf2", "leaf3"} {
		f.Devices = append(f.Devices, &ir.Device{Name: name, DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{}})
	}
	got := map[string]string{}
	forwarding := func(d *ir.Device, files []lint.File, when func(name string) time.Time) *ir.Forwarding {
		require.Len(t, files, 1, d.Name)
		got[d.Name] = files[0].Name
		return &ir.Forwarding{Device: d, When: when(files[0].Name)}
	}
	settings := func(d *ir.Device) (*ir.Settings, string) {
		switch d.Name {
		case "leaf10":
			return nil, ""
		case "leaf3":
			return &ir.Settings{}, "its files state another name"
		}
		return &ir.Settings{}, ""
	}
	counters := func(d *ir.Device, files []lint.File) []ir.PauseCounters {
		if d.Name == "leaf10" {
			return nil
		}
		return []ir.PauseCounters{{Port: files[0].Name}}
	}
	seen := read.Seen(f, read.Of(f), Readers{forwarding, settings, counters})
	require.Len(t, seen.Counters, 2)
	assert.Equal(t, at, seen.Counters[0].When)
	assert.Equal(t, "s/leaf1/route.json", seen.Counters[0].Rows[0].Port)
	assert.True(t, seen.Counters[1].When.IsZero(), "no snapshot has it")
	require.Len(t, seen.Settings, 3)
	assert.Equal(t, at, seen.Settings[0].When)
	assert.Equal(t, f.Devices[2], seen.Settings[1].Of)
	assert.True(t, seen.Settings[1].When.IsZero(), "no snapshot has it")
	assert.Equal(t, "its files state another name", seen.Settings[2].Why)
	assert.Equal(t, map[string]string{
		"leaf1": "s/leaf1/route.json", "leaf10": "s/leaf10/route.json", "leaf2": "s/leaf2-route.json",
	}, got)
	assert.Equal(t, "snapshot", seen.By)
	require.Len(t, seen.Devices, 3)
	assert.Equal(t, at, seen.Devices[0].When)
	assert.True(t, seen.Devices[1].When.IsZero(), "two snapshots have it")
	assert.True(t, seen.Devices[2].When.IsZero(), "no snapshot has it")
	assert.Equal(t, "s/leaf1/route.json", seen.At(f.Devices[0]).Filename)
	assert.Equal(t, f.Devices[3].At, seen.At(f.Devices[3]))
	read.Snapshots = nil
	assert.Equal(t, "files", read.Seen(&ir.Fabric{}, read.Of(f), Readers{}).By)
}
