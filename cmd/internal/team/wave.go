package team

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// waveNumber returns the number of a wave in a plan. A person writes SITE/N.
func waveNumber(terms *deploy.Terms, name string) (int, error) {
	site, digits, ok := strings.Cut(name, "/")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 {
		return 0, exit.Fail(exit.Usage, "%q is no wave: write the site and the number of the wave there, such as dc1/2", name)
	}
	first := 1
	for _, s := range terms.Shares {
		switch {
		case s.Site != site:
			first += s.Waves
		case n > s.Waves:
			return 0, exit.Fail(exit.Usage, "the site %s has %s in this plan, and no wave %d", site, diag.Count(s.Waves, "wave"), n)
		default:
			return first + n - 1, nil
		}
	}
	return 0, exit.Fail(exit.Usage, "the site %s changes nothing in this plan, so it has no wave", site)
}
