package unix

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClockWhileBusy: a script that computes for ten minutes of the machine's time takes half a minute of the device's time. Without
// computation the device's clock has the speed of the machine's clock. An alarm fires by the device's time.
func TestClockWhileBusy(t *testing.T) {
	c := newClock(0)
	defer c.Stop()
	ago := func(d time.Duration) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.real = c.real.Add(-d)
	}
	passed := func(want time.Duration) {
		t.Helper()
		require.GreaterOrEqual(t, c.Now(), want)
		require.Less(t, c.Now(), want+4*time.Minute, "or this test took minutes")
	}
	c.Work(1)
	ago(10 * time.Minute)
	passed(30 * time.Second)
	c.Work(1)
	c.Work(-1)
	passed(30 * time.Second)
	c.Work(-1)
	passed(30 * time.Second)
	ago(10 * time.Minute)
	passed(10*time.Minute + 30*time.Second)

	c.Work(1)
	rang := make(chan bool, 1)
	c.Set(5*time.Minute, nil, func() { rang <- true })
	ago(90 * time.Minute)
	c.tick()
	require.Empty(t, rang)
	ago(15 * time.Minute)
	c.tick()
	<-rang
}

// TestClockDrops: a fast clock on a busy machine stops at an alarm that is dropped, as at one that rings. The next alarm does not ring.
func TestClockDrops(t *testing.T) {
	c := newClock(0)
	defer c.Stop()
	rang := make(chan bool, 1)
	sleep := c.Set(time.Hour, func() bool { return true }, func() {})
	c.Set(10*time.Hour, nil, func() { rang <- true })
	c.mu.Lock()
	c.real = c.real.Add(-time.Minute) // at the speed of a fast clock 16 hours
	c.mu.Unlock()
	require.True(t, c.Drop(sleep))
	require.Less(t, c.Now(), time.Hour+4*time.Minute)
	require.Empty(t, rang)
}
