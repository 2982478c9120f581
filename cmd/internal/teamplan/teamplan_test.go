package teamplan

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
)

// devices are those of two sites.
var devices = map[string][]string{"dc1": {"leaf1", "leaf2"}, "dc2": {"leaf3"}}

func part(site string, waves []string, names ...string) *SitePart {
	p := &SitePart{Site: site, Waves: waves, Disrupts: []string{site + " stops"}, Takes: 10, Steps: 1}
	for _, name := range names {
		p.Devices = append(p.Devices, deploy.SavedDevice{Name: name, HostKey: "SHA256:x", Status: deploy.StatusChange})
	}
	return p
}

func merge(parts ...*SitePart) (*deploy.Saved, error) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	terms := &deploy.Terms{Name: "prod", Made: now, Expires: now.Add(time.Hour), Nonce: "n"}
	return Merge(parts, devices, deploy.Meta{Tool: "dev", Terms: terms})
}

// TestMerge: the plan has the devices and waves of all parts in their order, and a later rocec reads its bytes.
func TestMerge(t *testing.T) {
	same := part("dc2", nil, "leaf3")
	same.Devices[0].Status = deploy.StatusSame
	for name, c := range map[string]struct {
		parts  []*SitePart
		waves  []string
		shares []deploy.TermShare
	}{
		"two sites": {
			[]*SitePart{part("dc2", []string{"leaf3"}, "leaf3"), part("dc1", []string{"leaf1", "leaf2"}, "leaf1", "leaf2")},
			[]string{"leaf3", "leaf1", "leaf2"},
			[]deploy.TermShare{{Site: "dc2", Waves: 1}, {Site: "dc1", Waves: 2}},
		},
		"a wave of two": {
			[]*SitePart{part("dc1", []string{"leaf[1-2]"}, "leaf1", "leaf2")}, []string{"leaf[1-2]"}, []deploy.TermShare{{Site: "dc1", Waves: 1}},
		},
		"a site without changes": {
			[]*SitePart{part("dc1", []string{"leaf1"}, "leaf1"), same}, []string{"leaf1"}, []deploy.TermShare{{Site: "dc1", Waves: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			saved, err := merge(c.parts...)
			require.NoError(t, err)
			assert.Equal(t, c.waves, saved.Terms.Waves)
			assert.Equal(t, c.shares, saved.Terms.Shares)
			assert.Equal(t, 10*len(c.parts), saved.Terms.Takes)
			again, err := deploy.LoadPlan(strings.NewReader(string(saved.Bytes())))
			require.NoError(t, err)
			assert.Equal(t, saved.Bytes(), again.Bytes())
		})
	}
}

// TestMergeRefuses lists parts that a site may not send.
func TestMergeRefuses(t *testing.T) {
	for says, p := range map[string]*SitePart{
		"which is not one of its devices": part("dc1", []string{"leaf3"}, "leaf3"),
		"changes 1 device in no wave":     part("dc1", []string{"leaf1"}, "leaf1", "leaf2"),
		"or changes it twice":             part("dc1", []string{"leaf1", "leaf1"}, "leaf1"),
		"does not change it":              part("dc1", []string{"leaf[1-2]"}, "leaf1"),
		`"leaf[1-" is no wave`:            part("dc1", []string{"leaf[1-"}, "leaf1"),
		"is no wave":                      part("dc1", []string{"leaf[1-99999999]"}, "leaf1"),
		"the site dc9 answers for":        part("dc9", []string{"leaf1"}, "leaf1"),
	} {
		_, err := merge(p)
		assert.ErrorContains(t, err, says)
	}
	refused := part("dc1", []string{"leaf1"}, "leaf1", "leaf2")
	refused.Refused = []string{"leaf2 cannot change"}
	_, err := merge(refused)
	assert.NoError(t, err, "a person reads why the site refuses")
}

// TestParse: only whole and bounded questions and parts are read.
func TestParse(t *testing.T) {
	good := Question{Commit: strings.Repeat("a", 40), Inputs: strings.Repeat("b", 64), Tool: "1.2.3", Targets: []string{"leaf*"}}
	for says, change := range map[string]func(*Question){
		"":                      func(*Question) {},
		"names no commit":       func(q *Question) { q.Commit = "HEAD" },
		"no SHA-256":            func(q *Question) { q.Inputs = "" },
		"too many or too long":  func(q *Question) { q.Targets = make([]string, maxTargets+1) },
		"many or too long":      func(q *Question) { q.Tool = strings.Repeat("x", maxText+1) },
		"targets of the questi": func(q *Question) { q.Targets = []string{"leaf\x1b[2J"} },
	} {
		q := good
		change(&q)
		data, err := json.Marshal(q)
		require.NoError(t, err)
		got, err := ParseQuestion(data)
		if says == "" {
			require.NoError(t, err)
			assert.Equal(t, &good, got)
			continue
		}
		assert.ErrorContains(t, err, says)
	}
	_, err := ParseQuestion([]byte(`{"commit":"x","command":"reboot"}`))
	require.ErrorContains(t, err, "no question")
	for says, text := range map[string]string{
		"it is no part":     `[`,
		"is too long":       `{"site":"dc1","refused":["` + strings.Repeat("x", maxText+1) + `"]}`,
		"has characters":    `{"site":"dc1","disrupts":["a\u001b[2J"]}`,
		"a text of":         `{"site":"dc1","changes":[{"device":"leaf1","effects":["\n"]}]}`,
		"that no text has":  `{"site":"dc1","takes_seconds":-1}`,
		"no part of a plan": `{"site":"dc1","contents":"secret"}`,
	} {
		_, err := ParsePart([]byte(text))
		assert.ErrorContains(t, err, says)
	}
}
