package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Two senders to one port within a short time are a crowd. One sender, another class, another port, or a later time is none.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const out, other, a, b = "leaf1:swp1", "leaf1:swp2", "gpu1:ens1", "gpu2:ens1"
	l := &Lab{}
	for i, c := range []struct {
		to   crowd
		from string
		at   time.Duration
		want bool
	}{
		{crowd{out, 3}, a, 0, false},
		{crowd{out, 3}, a, time.Second, false},
		{crowd{out, 0}, b, time.Second, false},
		{crowd{other, 3}, b, time.Second, false},
		{crowd{out, 3}, b, together + time.Second, true},
		{crowd{out, 3}, a, together + time.Second, false}, // the next crowd begins
		{crowd{out, 3}, b, 2*together + 2*time.Second, false},
	} {
		assert.Equal(t, c.want, l.second(c.to, sender{c.from, c.at}), i)
	}
}
