package nvue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/sim"
)

// TestImage: a switch from the factory has the splits and bonds that the fabric assumes, and no split that its ports do not need.
func TestImage(t *testing.T) {
	text := strings.NewReplacer(`"sn4700"`, `"sn5600"`, "tor1:swp1-2", "tor1:swp1s[0-1]", "tor1:swp10-11", "tor1:swp11s[2-3]").Replace(rack)
	set := tree(t, nvue.Target.Image(device(t, text, "tor1")).Files[sim.StartupPath])
	assert.Equal(t, []string{"2x"}, set.Get("interface", "swp1", "link", "breakout").Keys())
	assert.Equal(t, []string{"4x"}, set.Get("interface", "swp11", "link", "breakout").Keys())
	assert.Nil(t, set.Get("interface", "swp2"))
	assert.NotNil(t, set.Get("system", "aaa", "user", "cumulus"))
}
