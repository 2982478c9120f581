package site

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/fromfiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site/sitetest"
	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
)

func foundOf(files []lint.File) *devicefiles.Found { return &devicefiles.Found{Files: files} }

// worseThanAudit returns errors of verify that the audit lacks. verify compares the files with the fabric made from them. A device is
// left out if the audit has an error there, or the code that makes it unsound. The error about a device without settings is left out,
// too.
func worseThanAudit(t *testing.T, s *Site, files []lint.File) (worse []string) {
	t.Helper()
	found := foundOf(files)
	audited, _ := s.Judge(found)
	device, wrong, codes := s.DeviceOf(), map[string]bool{}, map[string]bool{}
	for _, d := range audited.Diags {
		name, _ := device(d.At.Filename)
		wrong[name] = wrong[name] || d.Severity == diag.Error
		codes["["+d.Code+"]"] = true
	}
	fabric := &report.Report{Judged: s.Judged, Dir: Folder}
	verified, judged, err := (&fromfiles.Sources{Files: found}).Verify(t.Context(), fabric, fabric.Tree(),
		ir.NewBudget(validate.DefaultBudget))
	require.NoError(t, err)
	why := map[string]string{}
	for _, h := range verified.Devices {
		text := h.Drift.Unsound()
		why[h.Drift.Device.Name] = text
		if at := strings.LastIndex(text, "["); at >= 0 && codes[text[at:]] { // the audit has it
			wrong[h.Drift.Device.Name] = true
		}
	}
	for _, d := range judged.Diags {
		name, _ := device(d.At.Filename)
		if d.Severity == diag.Error && d.Code != targets.WithoutFile.Code && !wrong[name] {
			worse = append(worse, fmt.Sprintf("%s %s: %s (%s)", d.Code, d.At.Filename, d.Detail, why[name]))
		}
	}
	return worse
}

// schedule sets schedulers for the queues of a config_db.json as a person writes them. The weights have any order and sum, and some
// queues have no scheduler or strict priority.
func schedule(t *testing.T, draw *rand.Rand, conf []byte) []byte {
	t.Helper()
	var tables map[string]any
	require.NoError(t, json.Unmarshal(conf, &tables))
	queues, ok := tables["QUEUE"].(map[string]any)
	require.True(t, ok)
	rows, by := map[string]any{}, map[string]string{}
	for cos := range 8 {
		name := "by-hand." + strconv.Itoa(cos)
		by[strconv.Itoa(cos)] = name
		switch draw.IntN(8) {
		case 0:
			delete(by, strconv.Itoa(cos))
		case 1:
			rows[name] = map[string]any{"type": "STRICT"}
		default:
			rows[name] = map[string]any{"type": "DWRR", "weight": strconv.Itoa(1 + draw.IntN(40))}
		}
	}
	tables["SCHEDULER"] = rows
	for _, key := range slices.Sorted(maps.Keys(queues)) {
		row, cos := queues[key].(map[string]any), key[strings.LastIndex(key, "|")+1:]
		if delete(row, "scheduler"); by[cos] != "" {
			row["scheduler"] = by[cos]
		}
	}
	out, err := json.MarshalIndent(tables, "", "    ")
	require.NoError(t, err)
	return out
}

// sonicFiles are the files of a small network with SONiC, as its switches have them.
func sonicFiles(t *testing.T) (written []lint.File) {
	t.Helper()
	shape, ok := start.FindShape("leaf-spine")
	require.True(t, ok, start.ShapeNames())
	var on start.System
	for _, os := range targets.Known.OS {
		if os.Name == "sonic" {
			on = start.System{OS: os, Version: "202311"}
		}
	}
	fsys := fstest.MapFS{}
	for _, f := range start.Shaped(shape, 8, on) {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	j := judge.Judge(t.Context(), fsys, ".", judge.Options{})
	require.NotNil(t, j.Fabric)
	for _, d := range j.Tree().Devices {
		if d.Source.Switch == nil {
			continue
		}
		f := &d.Files[0]
		content, ds := f.Edit([]byte(d.Target.Image(d.Source).Files[f.Path]))
		require.False(t, ds.HasErrors())
		dir := path.Join("site", d.Name)
		written = append(written, lint.File{Name: path.Join(dir, "config_db.json"), Data: f.Forms[0].Of(content)},
			lint.File{Name: path.Join(dir, "lldp.json"), Data: sitetest.LLDP(t, d.Source)})
	}
	return written
}

// Files with schedulers of any weights make a fabric. At a device that is good in the audit, verify finds no error beside this fabric.
// That holds if one switch has different schedulers, too.
func TestVerifiedSchedulers(t *testing.T) {
	draws := 40
	if machinetest.Quick() {
		draws = 8
	}
	written := sonicFiles(t)
	weights := map[bool]int{}
	for seed := range uint64(draws) {
		files := slices.Clone(written)
		odd := rand.New(rand.NewPCG(seed, 12)).IntN(2 * len(files)) // of the switch with different schedulers, if any
		for i, f := range files {
			if path.Base(f.Name) != "config_db.json" {
				continue
			}
			of := seed
			if i/2 == odd/2 {
				of += 1000
			}
			files[i].Data = schedule(t, rand.New(rand.NewPCG(of, 13)), f.Data)
		}
		s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
		require.Empty(t, ds)
		require.NotNil(t, s.Judged.Fabric, "seed %d: %v", seed, texts(s.Judged.Diags))
		assert.Empty(t, worseThanAudit(t, s, files), "seed %d", seed)
		for _, g := range s.Judged.Fabric.CosGroups {
			if g.Lossless {
				weights[g.Weight > 0]++
			}
		}
	}
	assert.Positive(t, weights[true], fmt.Sprint(weights))
	assert.Positive(t, weights[false], fmt.Sprint(weights))
}

// A host with PFC for the class is sound, even if its maps, traffic classes and cable lengths differ from those that rocec writes. A host
// without PFC is unsound.
func TestVerifiedHosts(t *testing.T) {
	for rows, want := range map[string]int{"0   0   0   1 ": 0, "0   0   0   0 ": 1} {
		files := slices.Clone(Demo())
		for i, f := range files {
			text := string(f.Data)
			if path.Base(f.Name) == "mlnx_qos.txt" {
				text = strings.Replace(text, "enabled     0   0   0   0 ", "enabled     "+rows, 1)
				text = strings.Replace(text, "Cable len: 5", "Cable len: 7", 1)
			}
			files[i].Data = []byte(text)
		}
		s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
		require.Empty(t, ds)
		fabric := &report.Report{Judged: s.Judged, Dir: Folder}
		verified, _, err := (&fromfiles.Sources{Files: &devicefiles.Found{Files: files}}).Verify(t.Context(), fabric, fabric.Tree(),
			ir.NewBudget(validate.DefaultBudget))
		require.NoError(t, err)
		unsound := 0
		for _, h := range verified.Devices {
			if h.Drift.Device.Name == "gpu03" && !h.Other() {
				unsound++
				assert.Contains(t, h.Drift.Unsound(), "PFC is on for no cos")
			}
		}
		assert.Equal(t, want, unsound, rows)
	}
}
