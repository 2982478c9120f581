package readings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/storm"
)

// A folder with two snapshots is no reading: their answers have the same names.
func TestTwoSnapshotsInOneFolder(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("../../../examples/sonic-leaf-spine"), ".", judge.Options{}).Fabric
	dir := t.TempDir()
	for _, name := range []string{"monday", "tuesday"} {
		text, err := json.Marshal(snapshot.Manifest{FormatVersion: "1.0", Devices: []snapshot.Device{{
			Name: "leaf1", Address: "192.0.2.1", Failed: strings.Repeat("\x1b", 1<<20),
		}}})
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, snapshot.Name), text, 0o600))
	}
	_, err := snapshotReading(f, dir)
	require.ErrorContains(t, err, "contains 2 snapshots, and one is a reading")
	found, err := snapshotReading(f, filepath.Join(dir, "monday"))
	require.NoError(t, err)
	for _, of := range found {
		require.Less(t, len(of.Failed), 1000)
		require.NotContains(t, of.Failed, "\x1b")
	}
}

// The configuration of a switch in a snapshot shows its watchdogs, also if its counters are missing.
func TestSnapshotWatchdogs(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("../../../examples/sonic-leaf-spine"), ".", judge.Options{}).Fabric
	dir := t.TempDir()
	write := func(name string, data []byte) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	var leaf *ir.Device
	manifest := snapshot.Manifest{FormatVersion: "1.0"}
	for _, d := range f.Devices {
		if d.Name == "leaf1" {
			leaf = d
		}
		manifest.Devices = append(manifest.Devices, snapshot.Device{Name: d.Name})
	}
	on, off := leaf.Ports[0].Name, leaf.Ports[1].Name
	file := []byte(`{"DEVICE_METADATA": {"localhost": {"hwsku": "x", "hostname": "leaf1"}},
"PORT": {"` + on + `": {"lanes": "1,2,3,4", "speed": "100000", "alias": "x"}},
"DSCP_TO_TC_MAP": {"AZURE": {"26": "5"}},
"PFC_WD": {"` + on + `": {"action": "drop", "detection_time": "200", "restoration_time": "200"}, "GLOBAL": {"POLL_INTERVAL": "200"}},
"PORT_QOS_MAP": {"` + on + `": {"pfc_enable": "3,5", "pfcwd_sw_enable": "5", "dscp_to_tc_map": "AZURE"}}}`)
	const name = "leaf1/running-config_db.json"
	write(name, file)
	for i := range manifest.Devices {
		if manifest.Devices[i].Name == "leaf1" {
			manifest.Devices[i].Answers = []snapshot.Answer{{File: name, SHA256: snapshot.Sum(file), Size: len(file)}}
		}
	}
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	write(snapshot.Name, text)

	found, err := snapshotReading(f, dir)
	require.NoError(t, err)
	for cos, want := range map[int]bool{3: false, 5: true} {
		w := found[leaf].Watchdogs[on]
		ends, known := w.Ends(cos)
		require.True(t, known, "%+v", found[leaf].Watchdogs)
		require.Equal(t, want, ends, cos)
	}
	w := found[leaf].Watchdogs[off]
	ends, known := w.Ends(5)
	require.Equal(t, []bool{false, true}, []bool{ends, known})
	for d, of := range found {
		require.NotEmpty(t, of.Failed, "there are no counters")
		require.True(t, d == leaf || of.Watchdogs == nil, d.Name)
	}
}

// A reading is older than another one if some device was asked earlier, and none later. Devices without a time, or of one reading only, do
// not count.
func TestOlder(t *testing.T) {
	t.Parallel()
	f := small()
	a, b, c := f.Devices[0], f.Devices[1], f.Devices[2]
	at := func(first, second int) storm.Reading {
		r := storm.Reading{c: {Failed: "it was not asked"}}
		for d, minute := range map[*ir.Device]int{a: first, b: second} {
			if minute > 0 {
				r[d] = &storm.Counters{When: now.Add(time.Duration(minute) * time.Minute)}
			}
		}
		return r
	}
	for name, of := range map[string]struct {
		one, before storm.Reading
		older       bool
	}{
		"in order":                     {at(3, 4), at(1, 2), false},
		"the same":                     {at(1, 2), at(1, 2), false},
		"the other way round":          {at(1, 2), at(3, 4), true},
		"one device asked again later": {at(1, 5), at(3, 4), false},
		"one device in one reading":    {at(1, 0), at(3, 4), true},
		"no time":                      {at(0, 0), at(3, 4), false},
	} {
		require.Equal(t, of.older, older(of.one, of.before), name)
	}
	require.Equal(t, []time.Time{now.Add(2 * time.Minute).UTC(), now.Add(4 * time.Minute).UTC()}, Times([]storm.Reading{at(1, 2), at(3, 4)}))
	require.Nil(t, Times([]storm.Reading{at(1, 2), at(0, 0)}))
}

// A query that fails leaves the counters of the other ones. If all fail, the device was not read.
func TestCountersOf(t *testing.T) {
	t.Parallel()
	d := small().Devices[0]
	read := func(port string) target.CounterQuery {
		return target.CounterQuery{Every: time.Second, Read: func(*ir.Device, []byte) ([]ir.PauseCounters, string) {
			return []ir.PauseCounters{{Port: port}}, ""
		}}
	}
	queries := []target.CounterQuery{read("p0"), read("p1")}
	failed := session.Reply{Err: "The probe could not run:\n\x1bno such program."}
	const why = `The probe could not run: \x1bno such program.`
	is := CountersOf(d, queries, []session.Reply{failed, {}}, now)
	require.Equal(t, &storm.Counters{When: now, Ports: []ir.PauseCounters{{Port: "p1"}}, Unread: why, Every: time.Second}, is)
	require.Equal(t, &storm.Counters{Failed: why}, CountersOf(d, queries, []session.Reply{failed, failed}, now))
}
