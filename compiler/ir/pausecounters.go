package ir

// PauseCounters are the counters of one priority at one port of a device, at one moment. A counter that the device does not have is not
// known; it is never zero.
type PauseCounters struct {
	Port     string
	Priority int

	// Frames of priority flow control (IEEE 802.1Q, clause 36) with the bit of the priority. Received frames stop the port from sending.
	// Frames with a time of zero, which end a pause, count on most chips.
	Received, Sent Counter

	// ReceivedTime and SentTime are microseconds in which the priority was paused: the port must not send, or its peer must not.
	ReceivedTime, SentTime Counter

	Packets  Counter // sent packets of the queue that the priority pauses
	Waiting  Counter // bytes in that queue now
	Headroom Counter // bytes in the headroom of the lossless buffer now
	Peak     Counter // the most bytes in that headroom since the device last cleared the value
	Dropped  Counter // packets that the lossless buffer dropped
	Cut      Counter // times that a watchdog cut the queue
	Cutting  Counter // 1: a watchdog cuts the queue now; 0: it watches the queue
	Marked   Counter // packets with a mark of congestion (ECN)

	Unwatched bool // the device shows that no watchdog watches the queue; false: it does not show that
}

// Counter is a value of a counter.
type Counter struct {
	Value uint64
	Known bool
}

// Fill sets the counters that are not known from other ones of the same port and priority.
func (c *PauseCounters) Fill(from *PauseCounters) {
	for _, pair := range [][2]*Counter{
		{&c.Received, &from.Received},
		{&c.Sent, &from.Sent},
		{&c.ReceivedTime, &from.ReceivedTime},
		{&c.SentTime, &from.SentTime},
		{&c.Packets, &from.Packets},
		{&c.Waiting, &from.Waiting},
		{&c.Headroom, &from.Headroom},
		{&c.Peak, &from.Peak},
		{&c.Dropped, &from.Dropped},
		{&c.Cut, &from.Cut},
		{&c.Cutting, &from.Cutting},
		{&c.Marked, &from.Marked},
	} {
		if !pair[0].Known {
			*pair[0] = *pair[1]
		}
	}
	c.Unwatched = c.Unwatched || from.Unwatched
}
