package lab

// SetCounter sets a counter of an interface, which `ethtool -S` shows. With a rate, the counter then rises by the clock of the device,
// until the device restarts.
func (d *Device) SetCounter(netdev, name string, value uint64, perSecond ...float64) {
	d.fs.Lock()
	defer d.fs.Unlock()
	n := d.net.netdevs[netdev]
	n.counters[name] = value
	for _, rate := range perSecond {
		if n.rises == nil {
			n.rises = map[string]func() uint64{}
		}
		since := d.machine.Clock.Now()
		n.rises[name] = func() uint64 { return uint64((d.machine.Clock.Now() - since).Seconds() * rate) }
	}
}

// SetSpeed sets the link speed that an interface reports, in Mb/s, until the device restarts.
func (d *Device) SetSpeed(netdev string, mbps int) {
	d.fs.Lock()
	defer d.fs.Unlock()
	d.net.netdevs[netdev].SpeedMbps = mbps
}

// TakeNetdev removes an interface, as when a port is split or a card is pulled, until the device restarts.
func (d *Device) TakeNetdev(netdev string) {
	d.fs.Lock()
	defer d.fs.Unlock()
	d.net.drop(d.net.netdevs[netdev])
}

// SetLink plugs the cable of an interface in, or pulls it out, until the device restarts.
func (d *Device) SetLink(netdev string, up bool) {
	d.fs.Lock()
	defer d.fs.Unlock()
	d.net.netdevs[netdev].Down, d.cabled = !up, true
}
