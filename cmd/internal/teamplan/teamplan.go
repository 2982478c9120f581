// Package teamplan has the [Question] of a person to the sites of a team, and the [SitePart] of a plan with which a site answers. [Merge]
// makes one plan of the parts.
//
// Parts travel through a hub that is not trusted, and come from machines that a person does not see. They have hashes and names, and no
// contents, commands or addresses.
package teamplan

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// Question asks a site for its part of a plan.
type Question struct {
	Commit  string   `json:"commit"` // of the fabric's repository
	Inputs  string   `json:"inputs"` // SHA-256 over the files of the fabric
	Tool    string   `json:"tool"`   // version of rocec
	Targets []string `json:"targets,omitempty"`
	Settled string   `json:"settled,omitempty"` // nodeset of devices of other sites with the settings of the fabric
}

// SitePart is the part of a plan that one site makes.
type SitePart struct {
	Site     string               `json:"site"`
	Devices  []deploy.SavedDevice `json:"devices"`
	Waves    []string             `json:"waves"` // nodesets
	Disrupts []string             `json:"disrupts"`
	Takes    int                  `json:"takes_seconds"`
	Steps    int                  `json:"steps"` // of the change; the part is the first one
	Changes  []DeviceChange       `json:"changes"`
	Refused  []string             `json:"refused"` // why the site would refuse to carry it out
}

// DeviceChange is the change of one device in a part.
type DeviceChange struct {
	Device   string        `json:"device"`
	Status   deploy.Status `json:"status"`
	Files    int           `json:"files"` // that change
	Effects  []string      `json:"effects,omitempty"`
	Disrupts []string      `json:"disrupts,omitempty"`
}

// Bounds of what other machines send.
const (
	maxTargets = 1000
	maxTexts   = 10_000
	maxText    = 4 << 10
)

// Commit reports whether a text is the whole hash of a commit.
func Commit(text string) bool { return hash(text, 20) }

// hash reports whether a text is a hash of n bytes.
func hash(text string, n int) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == n && strings.ToLower(text) == text
}

// ParseQuestion reads a question.
func ParseQuestion(data []byte) (*Question, error) {
	var q Question
	if err := strict(data, &q); err != nil {
		return nil, errors.New("it is no question for a part of a plan")
	}
	switch {
	case !Commit(q.Commit):
		return nil, errors.New("the question names no commit by its whole hash")
	case !hash(q.Inputs, 32):
		return nil, errors.New("the question has no SHA-256 of its inputs")
	case q.Settled != "" && !isWave(q.Settled):
		return nil, errors.New("the settled devices of the question are no nodeset")
	case len(q.Targets) > maxTargets || bad(q.Targets...) || bad(q.Tool):
		return nil, errors.New("the targets of the question are too many or too long")
	}
	return &q, nil
}

// ParsePart reads the answer of a site.
func ParsePart(data []byte) (*SitePart, error) {
	var p SitePart
	if err := strict(data, &p); err != nil {
		return nil, errors.New("it is no part of a plan")
	}
	texts := slices.Concat(p.Disrupts, p.Refused)
	for i := range p.Changes {
		texts = append(append(texts, p.Changes[i].Effects...), p.Changes[i].Disrupts...)
	}
	if len(p.Disrupts)+len(p.Refused) > maxTexts || bad(texts...) || p.Takes < 0 || p.Steps < 0 {
		return nil, errors.New("a text of the part is too long, or has characters that no text has")
	}
	return &p, nil
}

func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// bad reports whether a text is too long, or has control characters.
func bad(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return len(s) > maxText || strings.ContainsFunc(s, unicode.IsControl) })
}

// Names returns the devices of a wave.
func Names(wave string) ([]string, error) {
	set, mistakes := nodeset.Parse(wave, nodeset.Devices)
	if len(mistakes) > 0 || set.Len() > maxTexts {
		return nil, fmt.Errorf("%q is no wave", diag.Cut(wave))
	}
	var out []string
	for n := range set.All() {
		out = append(out, n.Device)
	}
	return out, nil
}

// isWave reports whether a text is a nodeset of devices.
func isWave(text string) bool {
	_, err := Names(text)
	return err == nil
}

// check refuses a part with devices of another site, or with waves that do not have each changed device once. A device that the site would
// refuse to change may be in no wave.
func (p *SitePart) check(own []string) error {
	changes := map[string]bool{}
	for i := range p.Devices {
		d := &p.Devices[i]
		if !slices.Contains(own, d.Name) {
			return fmt.Errorf("the site %s answers for %q, which is not one of its devices", p.Site, diag.Cut(d.Name))
		}
		if d.Status == deploy.StatusChange {
			changes[d.Name] = true
		}
	}
	for _, wave := range p.Waves {
		names, err := Names(wave)
		if err != nil {
			return fmt.Errorf("the site %s: %w", p.Site, err)
		}
		for _, name := range names {
			if !changes[name] {
				return fmt.Errorf("the site %s has %q in a wave, and does not change it, or changes it twice", p.Site, diag.Cut(name))
			}
			delete(changes, name)
		}
	}
	if len(changes) > 0 && len(p.Refused) == 0 {
		return fmt.Errorf("the site %s changes %s in no wave", p.Site, diag.Count(len(changes), "device"))
	}
	return nil
}

// Merge makes one plan of the parts of sites, in the order in which the sites work: first the one of the first part. devices has the
// devices of each site. The terms get the shares, the waves, the disruptions and the time of all parts. A site without waves has no share.
func Merge(parts []*SitePart, devices map[string][]string, m deploy.Meta) (*deploy.Saved, error) {
	var all []deploy.SavedDevice
	t := *m.Terms
	t.Waves, t.Disrupts, t.Shares, t.Takes = []string{}, []string{}, nil, 0
	for _, p := range parts {
		if err := p.check(devices[p.Site]); err != nil {
			return nil, err
		}
		all = append(all, p.Devices...)
		t.Waves, t.Disrupts, t.Takes = append(t.Waves, p.Waves...), append(t.Disrupts, p.Disrupts...), t.Takes+p.Takes
		if len(p.Waves) > 0 {
			share := deploy.TermShare{Site: p.Site, Waves: len(p.Waves)}
			if p.Steps > 1 {
				share.Steps = p.Steps
			}
			t.Shares = append(t.Shares, share)
		}
	}
	m.Terms = &t
	return deploy.NewSaved(all, m), nil
}
