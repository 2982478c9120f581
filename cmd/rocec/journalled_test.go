package main

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// All of a step survives the journal, so that another process can go on with the run.
func TestJournalKeepsSteps(t *testing.T) {
	step := target.Step{
		Cmd: "a", Disrupts: "b", Outage: ir.Outage{Least: 1, Most: 2}, Undo: &target.Query{Cmd: "c", Stdin: []byte("d")}, Stdin: "e",
		Loaded: &target.Query{Cmd: "f"}, Keep: "h", Back: &target.Query{Cmd: "i"}, Units: "g",
		Timeout: time.Second, Takes: 2 * time.Second, Soak: time.Minute, Away: time.Hour,
	}
	for i := range reflect.TypeFor[target.Step]().NumField() {
		require.False(t, reflect.ValueOf(step).Field(i).IsZero(), reflect.TypeFor[target.Step]().Field(i).Name)
	}
	other := step
	other.Stdin = "another"
	files := []target.File{{Path: "/a", Activate: step}, {Path: "/b", Activate: other}}
	d := &deploy.DevicePlan{Device: &target.Device{Name: "gpu1", Files: files}, Status: deploy.StatusChange}
	for i := range files {
		d.Changes = append(d.Changes, &deploy.Change{FileState: deploy.FileState{Path: files[i].Path}, File: &files[i]})
	}
	var h journal.Header
	writeDevices(&h, &deploy.Plan{Devices: []*deploy.DevicePlan{d}}, nil)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	var back journal.Header
	require.NoError(t, json.Unmarshal(text, &back))
	r := readHeader(&back)
	for i, want := range []target.Step{step, other} {
		got, err := r.file(&back.Devices[0].Changes[i])
		require.NoError(t, err)
		assert.Equal(t, want, got.Activate)
	}
}
