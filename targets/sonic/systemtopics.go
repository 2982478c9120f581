package sonic

import "github.com/rocec/rocec/lang/diag"

var topicRelease = diag.Topic{
	Code:    "sonic-release",
	Summary: "rocec does not write this release of SONiC",
	Doc: `
What a switch with SONiC takes while it runs depends on its release: which fields may be changed by
patch, which tables and fields it knows, and who makes lossless priority groups. rocec knows
202205, 202305, 202311, 202405, 202411, 202505, 202511 and 202605. 202211 has no table of what may
be changed by patch.

version takes the branch, or what show version prints: "202505", "202505.12",
"SONiC.202505.12-1a2b3c4" and "20230531.19", which is a day of 202305, are all read.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202211"
    }

Fix: write the release that the switch runs, or upgrade the switch.

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
`,
}

var topicModel = diag.Topic{
	Code:    "sonic-model",
	Summary: "SONiC, or this release of it, does not run on this model",
	Doc: `
SONiC's images have a folder for each platform they run on, with the names of its ports, its hwskus
and their buffers. A model without such a folder, or a release older than the folder, is a slip in
the model, the os or the version, and what is derived from either is wrong: the names of the ports,
the cells and the memory of the chip, and what may be changed. Newer models came with these:

    SN5400                            from 202311
    SN4280                            from 202405
    SN5610N, SN5640                   from 202505
    SN6600                            from 202511
    Z9664F                            from 202505
    Z9864F                            from 202605
    7060DX5-32, 7060DX5-64S           from 202305
    7060X6-64DE, 7060X6-64PE          from 202311
    7060X6-32PE                       from 202505

Switches with several chips (7280R3, 7800R3) are left out: their settings lie in a database for
each chip, and rocec does not write those.

Example:

    switch "spine" {
      model   = "sn5640"
      os      = "sonic"
      version = "202411"
    }

Fix: correct the model or the version. A model of your own is declared by a switch_model
block; its ports are taken to be called by their lanes then: Ethernet0, Ethernet4 for ports of four.

    switch "spine" {
      model   = "sn5640"
      os      = "sonic"
      version = "202505"
    }
`,
}

var topicLookup = diag.Topic{
	Code:    "sonic-lookup",
	Summary: "SONiC ships no headroom for ports of this speed and length",
	Doc: `
Where SONiC does not compute headroom itself (buffer_model traditional, and every chip that is no
Spectrum), it takes it from a file of the hwsku, pg_profile_lookup.ini, with a row for each speed
and length of cable. A port whose pair has no row gets no lossless priority group: the daemon logs
an error, the port pauses nobody, and packets are lost. rocec rounds a length up to the next one of
the file on the switch. This is about the files as SONiC ships them: hwskus of Edgecore have none,
and some of Arista an empty one, where makers or operators bring their own.

Example:

    switch "leaf" {
      model   = "as7726-32x" # its hwsku has no lookup file
      os      = "sonic"
      version = "202505"
    }

Fix: see what the switch has, below /usr/share/sonic/device. Where the row is missing
there, too, have it added to the file, or use another hwsku or another model.

    switch "leaf" {
      model   = "s5232f"
      os      = "sonic"
      version = "202505"
    }
`,
}

var topicMemory = diag.Topic{
	Code:    "sonic-memory-written",
	Summary: "rocec cannot write how SONiC shares out the memory",
	Doc: `
On SONiC the pools of a chip's memory are made by the template of the hwsku when a switch is set up
(BUFFER_POOL). Up to 202505 a patch may change the size of some pools, later releases take none, and
on no release is it done while traffic runs. So rocec leaves the pools as they are.

Example:

    switch "leaf" {
      os     = "sonic"
      memory = "written"
    }

Fix: take memory out.

    switch "leaf" {
      os = "sonic"
    }
`,
}
