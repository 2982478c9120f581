package rollout_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

func TestPlanFile(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 4)
	for i, b := range bs.all {
		b.Key = fmt.Sprintf("SHA256:key%d", i)
	}
	bs.all[2].Dead = true
	bs.all[3].Write("/etc/app/conf", boxtest.NewConf)
	bs.all[3].Write("/run/loaded", boxtest.NewConf)
	meta := deploy.Meta{
		Tool: "1.2.3", Fabric: "pod1", Inputs: strings.Repeat("ab", 32), Variables: []string{"a"},
		Environment: []string{"b"}, VarFiles: []string{"/a/<b>"}, Targets: []string{"switch.leaf"},
	}
	p := bs.plan(t)
	save := func(p *deploy.Plan) []byte {
		var b bytes.Buffer
		require.NoError(t, deploy.SavePlan(&b, p, meta))
		return b.Bytes()
	}
	data := save(p)
	require.Equal(t, data, save(bs.plan(t)), "the same devices give the same bytes")
	require.NotContains(t, string(data), "colour", "hashes, not content")
	s, err := deploy.LoadPlan(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, meta, s.Meta)
	require.NoError(t, p.Matches(s))

	for name, bad := range map[string][]byte{
		"cut":            data[:len(data)-10],
		"empty":          nil,
		"no plan":        []byte("[]"),
		"other format":   bytes.Replace(data, []byte(`"format_version": "2.0"`), []byte(`"format_version": "1.0"`), 1),
		"other device":   bytes.Replace(data, []byte("leaf01"), []byte("leaf09"), 1),
		"other key":      bytes.Replace(data, []byte("SHA256:key0"), []byte("SHA256:key9"), 1),
		"other path":     bytes.Replace(data, []byte("/etc/app/conf"), []byte("/etc/passwd"), 1),
		"reformatted":    append(bytes.Clone(data), '\n'),
		"another field":  bytes.Replace(data, []byte(`"tool"`), []byte(`"run": "rm", "tool"`), 1),
		"a digest added": bytes.Replace(data, []byte(s.Digest), []byte(strings.Repeat("0", 64)), 1),
	} {
		_, err := deploy.LoadPlan(bytes.NewReader(bad))
		require.Error(t, err, name)
	}

	// One device is edited, one cannot be read any more, and one can be read now.
	bs.all[0].Write("/etc/app/conf", "colour = by hand\n")
	bs.all[1].Dead, bs.all[2].Dead = true, false
	err = bs.plan(t).Matches(s)
	var moved *deploy.MovedError
	require.ErrorAs(t, err, &moved)
	require.Equal(t, []string{"leaf01", "leaf02", "leaf03"}, moved.Devices)
	require.Equal(t, bs.all[0].Root+"/etc/app/conf changed on the device", moved.Reasons[0])
	require.Equal(t, "could be read then, and is unreachable now (connection refused)", moved.Reasons[1])
	require.Equal(t, "was unreachable then, and would be changed now", moved.Reasons[2])
	require.Contains(t, err.Error(), "leaf01: ")

	// Another machine answers under the name of a device, with the same files.
	bs.all[0].Write("/etc/app/conf", boxtest.OldConf)
	bs.all[1].Dead, bs.all[2].Dead = false, true
	bs.all[3].Key = "SHA256:other"
	require.ErrorAs(t, bs.plan(t).Matches(s), &moved)
	require.Equal(t, []string{"leaf04"}, moved.Devices)
	require.Equal(t, "answers with another host key than when the plan was made (SHA256:other, then SHA256:key3)", moved.Reasons[0])
	bs.all[3].Key = "SHA256:key3"

	// Applied already.
	require.NoError(t, bs.plan(t).Matches(s))
	rep, err := rollout.Apply(t.Context(), bs.dial, bs.plan(t), rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak})
	require.NoError(t, err)
	require.Equal(t, "applied applied refused unchanged", outcomes(rep))
	require.NoError(t, bs.plan(t).Matches(s))

	// The fabric changed.
	p = bs.plan(t)
	p.Devices[0].Files[0].Target = "x"
	p.Devices[1].Files = p.Devices[1].Files[:1]
	p.Devices = p.Devices[:3]
	require.ErrorAs(t, p.Matches(s), &moved)
	require.Equal(t, []string{"leaf01", "leaf02", `"leaf04"`}, moved.Devices)
	require.Equal(t, "the fabric now contains other files for it", moved.Reasons[1])
	require.Equal(t, "is in the plan, but not in the fabric", moved.Reasons[2])
}

// A hostile file of the largest allowed size does not become gigabytes of empty devices or names.
func TestPlanFileBounded(t *testing.T) {
	size := 32 << 20
	if testing.Short() {
		size /= 8
	}
	fill := func(head, body, tail string) []byte {
		return append(append([]byte(head), bytes.Repeat([]byte(body), size/len(body))...), tail...)
	}
	for name, data := range map[string][]byte{
		"devices":          fill("{\n \"devices\": [", "{},", "{}]}"),
		"devices, one row": fill("{\"devices\": [", "{},", "{}]}"),
		"no devices":       fill("{\n \"devices\": [", "null,", "null]}"),
		"files":            fill("{\n \"devices\": [{\"files\": [", "{},", "{}]}]}"),
		"targets":          fill("{\n \"targets\": [", `"",`, "\"\"],\n \"devices\": null\n}"),
		"nested":           fill("", "[", ""),
		"keys":             fill("{", `"a":{},`, `"b":0}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := deploy.LoadPlan(bytes.NewReader(data))
		runtime.ReadMemStats(&after)
		require.Error(t, err, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*size), name) // ReadAll's copy uses most of this memory
	}
}
