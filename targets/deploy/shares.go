package deploy

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Bounds of the terms of a plan for a team. A person signs the terms and can write what rocec never would, and each reader of the queue
// counts the waves.
const (
	mostWaves  = 10_000
	mostWithin = 90 * 24 * 60 * 60 // seconds: no plan is valid for longer
)

// splits refuses terms whose shares do not split the waves among different sites, or whose holds are not before one of the waves.
func (t *Terms) splits() error {
	if t == nil || len(t.Shares)+len(t.Holds) == 0 {
		return nil
	}
	if len(t.Waves) > mostWaves {
		return fmt.Errorf("the plan has %d waves, and a plan of a team has at most %d", len(t.Waves), mostWaves)
	}
	sites, left := map[string]bool{}, len(t.Waves)
	for _, s := range t.Shares {
		switch {
		case !validSite(s.Site):
			return fmt.Errorf("%q is no name of a site, and the plan has a share of it", diag.Cut(s.Site))
		case sites[s.Site]:
			return fmt.Errorf("the plan has two shares of the site %s", s.Site)
		case s.Waves < 1 || s.Waves > len(t.Waves):
			return fmt.Errorf("the share of the site %s has %d waves, and the plan has %d", s.Site, s.Waves, len(t.Waves))
		}
		sites[s.Site] = true
		left -= s.Waves
	}
	if left != 0 {
		return fmt.Errorf("the plan has %d waves, and its sites have %d", len(t.Waves), len(t.Waves)-left)
	}
	held := map[int]bool{}
	for _, h := range t.Holds {
		switch {
		case h.Wave < 1 || h.Wave > len(t.Waves):
			return fmt.Errorf("the plan holds wave %d, and has %d", h.Wave, len(t.Waves))
		case held[h.Wave]:
			return fmt.Errorf("the plan holds wave %s twice", t.WaveName(h.Wave))
		case h.Approvals < 1 || h.WithinSeconds < 0 || h.WithinSeconds > mostWithin:
			return fmt.Errorf("the plan holds wave %s for %d approvals within %d seconds: a hold wants at least one, within 90 days at most",
				t.WaveName(h.Wave), h.Approvals, h.WithinSeconds)
		}
		held[h.Wave] = true
	}
	return nil
}

// validSite reports whether a text can be the name of a site, as a fabric has it.
func validSite(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return len(name) >= 1 && len(name) <= 63 && strings.Contains(letters, name[:1]) && strings.Trim(name, letters+"_-") == ""
}
