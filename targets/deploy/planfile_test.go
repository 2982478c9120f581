package deploy

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlanFile(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 4)
	bs.all[2].dead = true
	bs.all[3].write("/etc/app/conf", newConf)
	bs.all[3].write("/run/loaded", newConf)
	meta := Meta{Tool: "1.2.3", Fabric: "pod1", Inputs: strings.Repeat("ab", 32), Vars: []string{"a=<b>"}, Targets: []string{"switch.leaf"}}
	p := bs.plan(t)
	save := func(p *Plan) []byte {
		var b bytes.Buffer
		require.NoError(t, SavePlan(&b, p, meta))
		return b.Bytes()
	}
	data := save(p)
	require.Equal(t, data, save(bs.plan(t)), "the same devices give the same bytes")
	require.NotContains(t, string(data), "colour", "hashes, not content")
	s, err := LoadPlan(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, meta, s.Meta)
	require.NoError(t, p.Matches(s))

	for name, bad := range map[string][]byte{
		"cut":            data[:len(data)-10],
		"empty":          nil,
		"no plan":        []byte("[]"),
		"other format":   bytes.Replace(data, []byte(`"format_version": "1.0"`), []byte(`"format_version": "2.0"`), 1),
		"other device":   bytes.Replace(data, []byte("leaf01"), []byte("leaf09"), 1),
		"other path":     bytes.Replace(data, []byte("/etc/app/conf"), []byte("/etc/passwd"), 1),
		"reformatted":    append(bytes.Clone(data), '\n'),
		"another field":  bytes.Replace(data, []byte(`"tool"`), []byte(`"run": "rm", "tool"`), 1),
		"a digest added": bytes.Replace(data, []byte(s.Digest), []byte(strings.Repeat("0", 64)), 1),
	} {
		_, err := LoadPlan(bytes.NewReader(bad))
		require.Error(t, err, name)
	}

	// A device is edited, one cannot be read any more, one can be read now.
	bs.all[0].write("/etc/app/conf", "colour = by hand\n")
	bs.all[1].dead, bs.all[2].dead = true, false
	err = bs.plan(t).Matches(s)
	var moved *MovedError
	require.ErrorAs(t, err, &moved)
	require.Equal(t, []string{"leaf01", "leaf02", "leaf03"}, moved.Devices)
	require.Equal(t, bs.all[0].root+"/etc/app/conf changed on the device", moved.Reasons[0])
	require.Equal(t, "could be read then, and is unreachable now (connection refused)", moved.Reasons[1])
	require.Equal(t, "was unreachable then, and would be changed now", moved.Reasons[2])
	require.Contains(t, err.Error(), "leaf01: ")

	// Applied already.
	bs.all[0].write("/etc/app/conf", oldConf)
	bs.all[1].dead, bs.all[2].dead = false, true
	require.NoError(t, bs.plan(t).Matches(s))
	rep, err := Apply(t.Context(), bs.dial, bs.plan(t), ApplyOptions{Clock: realTime, Txn: "txn-1"})
	require.NoError(t, err)
	require.Equal(t, "applied applied refused unchanged", outcomes(rep))
	require.NoError(t, bs.plan(t).Matches(s))

	// The fabric changed.
	p = bs.plan(t)
	p.Devices[0].Files[0].Target = "x"
	p.Devices[1].Files = p.Devices[1].Files[:1]
	p.Devices = p.Devices[:3]
	require.ErrorAs(t, p.Matches(s), &moved)
	require.Equal(t, []string{"leaf01", "leaf02", "leaf04"}, moved.Devices)
	require.Equal(t, "the fabric gives it other files now", moved.Reasons[1])
	require.Equal(t, "is in it, but not in the fabric", moved.Reasons[2])
}
