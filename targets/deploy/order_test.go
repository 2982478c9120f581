package deploy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// orderedFleet returns changing devices: s is a switch, r is a switch that removes a lossless class, and h is a host.
func orderedFleet(kinds string) *deploy.Plan {
	p := &deploy.Plan{}
	for i, k := range kinds {
		device := &target.Device{Name: fmt.Sprintf("%c%d", k, i), Role: target.Switch}
		d := &deploy.DevicePlan{Status: deploy.StatusChange, Device: device, Removing: k == 'r'}
		if k == 'h' {
			d.Device.Role = target.Host
		}
		p.Devices = append(p.Devices, d)
	}
	return p
}

func drawOrder(o *deploy.Order) string {
	var lines []string
	for _, w := range o.Waves {
		var names []string
		for _, d := range w.Devices {
			names = append(names, d.Device.Name)
		}
		lines = append(lines, fmt.Sprintf("%d: %s", w.Phase, strings.Join(names, " ")))
	}
	return strings.Join(lines, " | ")
}

func TestPlainOrder(t *testing.T) {
	for _, c := range []struct {
		kinds    string
		parallel int
		want     string
	}{
		{"", 8, ""},
		{"sssss", 2, "0: s0 s1 | 0: s2 s3 | 0: s4"},
		{"hshs", 0, "0: s1 s3 | 1: h0 h2"},
		{"rsshr", 8, "0: s1 s2 | 1: h3 | 2: r0 r4"},
	} {
		o := deploy.PlainOrder(orderedFleet(c.kinds), c.parallel)
		assert.Equal(t, c.want, drawOrder(o), c.kinds)
		back := o.Reverse()
		assert.Equal(t, len(o.Waves), len(back.Waves))
		if n := len(o.Waves); n > 0 {
			assert.Same(t, o.Waves[0], back.Waves[n-1])
		}
	}
	p := orderedFleet("sss")
	p.Devices[0].Status, p.Devices[2].Status = deploy.StatusSame, deploy.StatusUnreachable
	assert.Equal(t, "0: s1", drawOrder(deploy.PlainOrder(p, 8)), "what does not change is in no wave")
}

func TestFirst(t *testing.T) {
	p := orderedFleet("sss")
	w := &deploy.Wave{Devices: p.Devices}
	assert.Equal(t, p.Devices, w.First())
	w.Last = p.Devices[1:2]
	assert.Equal(t, []*deploy.DevicePlan{p.Devices[0], p.Devices[2]}, w.First())
}

// A wave with devices that begin last takes as long as two waves, unless its devices do not wait for each other.
func TestLongest(t *testing.T) {
	a, b := &deploy.DevicePlan{}, &deploy.DevicePlan{}
	all := []*deploy.DevicePlan{a, b}
	for _, c := range []struct {
		wave deploy.Wave
		want time.Duration
	}{
		{deploy.Wave{Devices: all}, time.Minute},
		{deploy.Wave{Devices: all, Last: all[:1]}, 2 * time.Minute},
		{deploy.Wave{Devices: all, Last: all}, time.Minute},
		{deploy.Wave{Devices: all, Last: all[:1], Stream: true}, time.Minute},
	} {
		c.wave.Takes = time.Minute
		assert.Equal(t, c.want, c.wave.Longest())
	}
}
