package judge_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// TestAdded judges and renders a fabric in which the added check, operating system and NIC family meet.
func TestAdded(t *testing.T) {
	fabric := strings.ReplaceAll(strings.ReplaceAll(judgetest.TwoFamilies, `version = "4.3.0"`, "os = \"sample\"\n  version = \"2\""), ":swp", ":port")
	run := func(text string) *judge.Judged {
		return judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", judge.Options{})
	}

	j := run(fabric + "cos_group \"sample\" {\n  cos = 1\n}\n")
	require.False(t, j.Diags.HasErrors(), "%v", j.Diags)
	assert.Contains(t, codes(j.Diags), "sample-check")
	page := docs.OfCode("sample-check")
	require.NotNil(t, page)
	assert.Equal(t, "a cos group is called sample", page.Summary)

	var built []string
	conf := ""
	for _, d := range j.Tree().Devices {
		for _, f := range d.Files {
			if f.Live != nil || d.Name == "gpu2" {
				continue
			}
			built = append(built, path.Join(d.Name, f.Path))
			if f.Path == "/etc/sample.conf" {
				text, ds := f.Edit(nil)
				require.Empty(t, ds)
				conf = string(text)
			}
		}
	}
	slices.Sort(built)
	assert.Equal(t, []string{
		"gpu1/etc/rocec/host/ens1f0.conf", "gpu1/etc/rocec/host/ens2f0.conf", "gpu1/etc/systemd/system/rocec-host-sample@.service",
		"gpu1/etc/systemd/system/rocec-host@.service",
		"gpu1/etc/udev/rules.d/99-rocec-sample.rules", "gpu1/etc/udev/rules.d/99-rocec.rules",
		"gpu1/usr/local/sbin/rocec-host", "gpu1/usr/local/sbin/rocec-host-sample", "leaf1/etc/sample.conf",
	}, built)
	assert.Equal(t, "port1 lossless 3\nport2 lossless 3\nport3 lossless 3\nport4 lossless 3\n", conf)

	// its words are judged by its own rules
	wrong := run(strings.Replace(fabric, `version = "2"`, `version = "3"`, 1)).Diags
	require.True(t, wrong.HasErrors())
	assert.Contains(t, wrong[0].Detail, "is not a release of Sample OS")
}
