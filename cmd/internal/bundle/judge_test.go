package bundle

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/targets/target"
)

// saved are texts of selftest on simulated devices, which the tests of the verb write.
const saved = "../../rocec/testdata/selftest"

// TestJudgeSaved: the verdicts of saved texts are derived from their answers alone, also of switches and NICs of every system.
func TestJudgeSaved(t *testing.T) {
	t.Parallel()
	for _, dir := range []fs.FS{os.DirFS(saved), os.DirFS("../../rocec/testdata/evidence"), evidence.Files} {
		names, err := fs.Glob(dir, "*.txt")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(dir, name)
			require.NoError(t, err)
			b, err := evidence.Parse(string(text))
			require.NoError(t, err, name)
			all := Judge(b)
			require.NotEmpty(t, all)
			for _, j := range all {
				assert.False(t, j.Differs(), "%s: %s of %s: %s, not %s", name, j.ID, j.Devices, j.Found, j.Written)
				assert.NotContains(t, j.Why, "no such claim", name)
			}
		}
	}
}

// TestJudge: the verdict depends on the answers, and not on what the text says about them.
func TestJudge(t *testing.T) {
	t.Parallel()
	const before = evidence.Title + "\nlevel:   0, x\ndevices: real\n\n=== device-1\n"
	const cumulus = before + "target:  cumulus\nrelease: 5.3.1\nmodel:   sn3700\nchip:    cumulus Spectrum-2\nwrote:   no\n\n"
	const place = "--- cumulus-files-place\nverdict: holds\n  $ x\n  | /etc/cumulus/datapath/qos/qos_features.conf file\n"
	const infra = "  | /etc/mlx/datapath/qos/qos_infra.conf file\n"
	for name, c := range map[string]struct {
		text string
		want Judged
	}{
		"holds":         {cumulus + place + infra, Judged{Written: "holds", Found: target.Holds}},
		"does not hold": {cumulus + place + strings.Replace(infra, " file", " link", 1), Judged{Written: "holds", Found: target.DoesNotHold}},
		"half of it":    {cumulus + place, Judged{Written: "holds", Found: target.NotDecided}},
		"cut off": {
			cumulus + place + infra + "  (cut after its first lines)\n",
			Judged{Written: "holds", Found: target.NotDecided, Why: "The end of the answer is missing."},
		},
		"written by rocec": {
			strings.Replace(cumulus, "wrote:   no", "wrote:   yes, x", 1) + place + infra, Judged{Written: "holds", Found: target.Echo},
		},
		"no answer": {
			cumulus + "--- cumulus-files-place\nverdict: holds\n",
			Judged{Written: "holds", Found: target.NotDecided, Why: "The bundle has no answer."},
		},
		"two answers": {cumulus + place + infra + "  @ again\n" + infra, Judged{Written: "holds", Found: target.NotDecided}},
		"of another claim": {
			cumulus + "--- cumulus-files-place\nverdict: holds\nanswer:  that of cumulus-nothing\n",
			Judged{Written: "holds", Found: target.NotDecided, Why: "The bundle has no answer."},
		},
		"another chip that rocec knows": {
			strings.Replace(cumulus, "sn3700", "declared in the fabric, Spectrum-2", 1) + place + infra,
			Judged{Written: "holds", Found: target.Holds},
		},
		"no model": {
			before + "target:  cumulus\nrelease: 5.3.1\n" + place,
			Judged{Written: "holds", Found: target.NotDecided, Why: "This rocec has no such claim about such a device."},
		},
		"no release": {
			strings.Replace(cumulus, "5.3.1", "5.x", 1) + place,
			Judged{Written: "holds", Found: target.NotDecided, Why: "This rocec has no such claim about such a device."},
		},
	} {
		b, err := evidence.Parse(c.text)
		require.NoError(t, err, name)
		c.want.Devices, c.want.ID = "device-1", "cumulus-files-place"
		assert.Equal(t, []Judged{c.want}, Judge(b), name)
	}
}

// FuzzJudge: Judge returns one of the verdicts for any text, and never panics.
func FuzzJudge(f *testing.F) {
	names, err := fs.Glob(os.DirFS(saved), "*.txt")
	require.NoError(f, err)
	for _, name := range names {
		text, err := os.ReadFile(saved + "/" + name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := evidence.Parse(text)
		if err != nil {
			return
		}
		for _, j := range Judge(b) {
			switch j.Found {
			case target.Holds, target.DoesNotHold, target.NotDecided, target.Echo:
			default:
				t.Fatalf("%q", j.Found)
			}
		}
	})
}
