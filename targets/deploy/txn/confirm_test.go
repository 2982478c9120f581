package txn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy/txn"
)

// A confirm that the device could not write to its disk does not count, unless the later release is on the disk.
func TestConfirmedButNotOnTheDisk(t *testing.T) {
	loaded := txn.Device{Mark: txn.Loaded, Lock: txn.Ours}
	confirmed := txn.Device{Mark: txn.Confirmed, Lock: txn.Ours}
	s := txn.State{Goal: txn.Keep}
	for _, e := range []txn.Event{
		{Verb: txn.Prepare, Device: txn.Device{Mark: txn.Prepared, Lock: txn.Ours}},
		{Verb: txn.Commit, Device: loaded},
		{Verb: txn.Check, Device: loaded},
		{Verb: txn.Confirm, Result: txn.Refused, Device: confirmed},
	} {
		assert.Equal(t, e.Verb, s.Next())
		s = s.After(e)
	}
	assert.Equal(t, txn.Release, s.Next())

	released := s.After(txn.Event{Verb: txn.Release})
	assert.Equal(t, txn.End, released.Next())
	assert.Equal(t, txn.Kept, released.Fate())

	for s.Next() != txn.End {
		s = s.After(txn.Event{Verb: txn.Release, Result: txn.Refused, Device: confirmed})
	}
	assert.Equal(t, txn.Uncertain, s.Fate())
}
