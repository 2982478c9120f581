package sonic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic"
)

// TestBoth: the state of a switch has the old and the new lossless classes, or the result names the obstacle.
func TestBoth(t *testing.T) {
	four := strings.NewReplacer("cos      = 3", "cos      = 4", "dscp     = [26]", "dscp     = [34]").Replace(rack)
	for _, model := range []string{"traditional", "dynamic"} {
		b := usual("202505")
		b.model = model
		done := edit(t, wish(t, device(t, rack, "tor1")), b.state())
		d := device(t, four, "tor1")
		files, not := sonic.Target.Transition(d, func(string) []byte { return []byte(done) }, false)
		require.Empty(t, not)
		s := sonic.Read(d, files[sonic.Path]).Port("Ethernet72")
		assert.Equal(t, uint8(0x18), s.Sends)
		assert.Equal(t, uint8(0x18), s.Obeys)
		assert.Equal(t, int8(3), s.DSCP[26])
		assert.Equal(t, int8(4), s.DSCP[34])
		assert.Equal(t, uint8(0x10), s.Marks)
		again, _ := sonic.Target.Transition(d, func(string) []byte { return files[sonic.Path] }, false)
		assert.Equal(t, string(files[sonic.Path]), string(again[sonic.Path]))
		m := newModel(t, b, done)
		m.run(sequence(t, wish(t, d), done, string(files[sonic.Path])))
		m.same(string(files[sonic.Path]))
		next := edit(t, wish(t, d), string(files[sonic.Path]))
		m.run(sequence(t, wish(t, d), string(files[sonic.Path]), next))
		m.same(next)
	}

	same := device(t, rack, "tor1")
	done := edit(t, wish(t, same), usual("202505").state())
	files, not := sonic.Target.Transition(same, func(string) []byte { return []byte(done) }, false)
	require.Empty(t, not)
	assert.Equal(t, done, string(files[sonic.Path]))

	// A template has two lossless classes, and a third is too many.
	five := device(t, strings.Replace(rack, "cos      = 3", "cos      = 5", 1), "tor1")
	_, not = sonic.Target.Transition(five, func(string) []byte { return []byte(usual("202505").state()) }, false)
	assert.Contains(t, not, "3 lossless classes")
	files, not = sonic.Target.Transition(five, func(string) []byte { return nil }, false)
	assert.Empty(t, not)
	assert.Nil(t, files)
}
