package lint

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicText, topicValue, topicField, topicRef, topicTwice, topicEmpty, topicGroup, topicQueue, topicMap, topicAdmin, topicLookup,
	topicECN, topicWatchdog,
}

var topicText = diag.Topic{
	Code:    "conf-sonic-text",
	Summary: "a configuration of SONiC cannot be read",
	Doc: `
A config_db.json is an object of tables, of rows, of fields with text. In one with a key that stands
twice, readers differ in which one they take; one that is deeper is that of several chips, or none.

Example:

    {
      "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet0": "40m"}}
    }

Fix: leave one of the two.

    {
      "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}}
    }
`,
}

var topicValue = diag.Topic{
	Code:    "conf-sonic-value",
	Summary: "a field holds what the model of SONiC does not take",
	Doc: `
All values of CONFIG_DB are text, and the models say of each what it may be: a number and its
range, one of some words, a list of priorities. A configuration with one that is wrong loads, and
then every patch to it is refused; what the wrong value sets depends on the daemon that reads it.

Example:

    {
      "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": 0}}
    }

Fix: write a text that the model takes.

    {
      "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "14"}}
    }
`,
}

var topicField = diag.Topic{
	Code:    "conf-sonic-field",
	Summary: "the release of SONiC has no such field or table",
	Doc: `
Fields come with releases. One that a release does not have sets nothing, and patches to a
configuration that holds it are refused. So is a table whose name has a slip in it: no daemon reads
it.

Example:

    {
      "VERSIONS": {"DATABASE": {"VERSION": "version_202405_01"}},
      "PFC_WD": {
        "Ethernet0": {"action": "drop", "detection_time": "200", "pfc_stat_history": "enable"}
      }
    }

Fix: leave the field out, or use the release that has it.

    {
      "VERSIONS": {"DATABASE": {"VERSION": "version_202405_01"}},
      "PFC_WD": {
        "Ethernet0": {"action": "drop", "detection_time": "200"}
      }
    }
`,
}

var topicRef = diag.Topic{
	Code:    "conf-sonic-reference",
	Summary: "a row names another one that is not there",
	Doc: `
Ports name maps, queues name schedulers and profiles of marking, priority groups name profiles of
buffers. A name that leads nowhere sets nothing, and patches to the configuration are refused.

Example:

    {
      "QUEUE": {"Ethernet0|3": {"scheduler": "scheduler.7"}}
    }

Fix: declare what is named.

    {
      "QUEUE": {"Ethernet0|3": {"scheduler": "scheduler.7"}},
      "SCHEDULER": {"scheduler.7": {"type": "DWRR", "weight": "15"}}
    }
`,
}

var topicTwice = diag.Topic{
	Code:    "conf-sonic-twice",
	Summary: "two rows hold one queue or priority group",
	Doc: `
The key of a queue or a priority group names a range, as Ethernet0|3-4. Where two rows hold the same
number, the one that the switch reads last counts, and when one of them goes, the number has
nothing at all.

Example:

    {
      "BUFFER_PG": {
        "Ethernet0|3": {"profile": "NULL"},
        "Ethernet0|3-4": {"profile": "NULL"}
      }
    }

Fix: leave one row for each number.

    {
      "BUFFER_PG": {
        "Ethernet0|3-4": {"profile": "NULL"}
      }
    }
`,
}

var topicEmpty = diag.Topic{
	Code:    "conf-sonic-empty",
	Summary: "a table of SONiC is empty",
	Doc: `
CONFIG_DB has no table without rows, so what is loaded is not what stands in the file; a patch that
leaves one is refused.

Example:

    {
      "PFC_WD": {}
    }

Fix: leave the table out.

    {
      "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}
    }
`,
}

var topicGroup = diag.Topic{
	Code:    "conf-sonic-lossless",
	Summary: "a priority with PFC has no lossless priority group",
	Doc: `
PFC alone makes nothing lossless: without headroom in a priority group of its class a port sends no
pause, and drops. The buffer manager makes the group from speed and length of cable; nobody removes
one that is of no use any more.

Example:

    {
      "BUFFER_PG": {"Ethernet0|0": {"profile": "ingress_lossy_profile"}},
      "BUFFER_POOL": {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"}
      },
      "BUFFER_PROFILE": {
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}
      },
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}
    }

Fix: see why the buffer manager makes none, and say a length of cable that it has sizes
for.

    $ grep buffermgrd /var/log/syslog
`,
}

var topicQueue = diag.Topic{
	Code:    "conf-sonic-queue",
	Summary: "a priority with PFC leaves by a queue that drops",
	Doc: `
Templates give queues 3 and 4 a profile of the pool egress_lossless_pool, which they may fill, and
the others one that drops beyond a share. Where another class has PFC, its packets are paused on the
way in, and dropped on the way out.

Example:

    {
      "BUFFER_POOL": {
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "9000000"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "9000000"}
      },
      "BUFFER_PROFILE": {
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"}
      },
      "BUFFER_QUEUE": {"Ethernet0|5-6": {"profile": "egress_lossy_profile"}},
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "5"}}
    }

Fix: give the queue a row of its own, with the profile of lossless queues.

    {
      "BUFFER_POOL": {
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "9000000"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "9000000"}
      },
      "BUFFER_PROFILE": {
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"}
      },
      "BUFFER_QUEUE": {
        "Ethernet0|5": {"profile": "egress_lossless_profile"},
        "Ethernet0|6": {"profile": "egress_lossy_profile"}
      },
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "5"}}
    }
`,
}

var topicMap = diag.Topic{
	Code:    "conf-sonic-map",
	Summary: "marked traffic does not come into the class that has PFC",
	Doc: `
The map of the templates sends DSCP 3 and 4 to the lossless classes 3 and 4, and almost everything
else to class 1, DSCP 26 with it. Storage and training are marked 26 by custom, and are lossy on
such a switch, though ports have PFC and headroom.

Example:

    {
      "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "26": "1"}},
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3"}}
    }

Fix: map the value to the class.

    {
      "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "26": "3"}},
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3"}}
    }
`,
}

var topicAdmin = diag.Topic{
	Code:    "conf-sonic-admin-status",
	Summary: "a port with PFC says no admin_status",
	Doc: `
The buffer manager makes the lossless priority group of a port when it knows that it is up. After a
breakout the new ports often have no admin_status in PORT, and it waits for one.

Example:

    {
      "PORT": {"Ethernet2": {"lanes": "2,3", "speed": "50000"}},
      "PORT_QOS_MAP": {"Ethernet2": {"pfc_enable": "3"}}
    }

Fix: say whether the port is up.

    $ sudo config interface startup Ethernet2
`,
}

var topicLookup = diag.Topic{
	Code:    "conf-sonic-lookup",
	Summary: "a cable has a length for which the switch has no sizes",
	Doc: `
In the traditional buffer model sizes stand in pg_profile_lookup.ini of the hwsku, by speed and
length. A pair that is not there leaves the port lossy, with an error in the log.

Example:

    {
      "@lookup": {
        "100000|5m": {"size": "49152", "xon": "19456", "xoff": "29696", "threshold": "0"}
      },
      "CABLE_LENGTH": {"AZURE": {"Ethernet0": "7m"}},
      "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
      "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}
    }

Fix: say the next length that the file has.

    $ cat /usr/share/sonic/device/PLATFORM/HWSKU/pg_profile_lookup.ini
`,
}

var topicECN = diag.Topic{
	Code:    "conf-sonic-marking",
	Summary: "marking of a queue is missing, or contradicts itself",
	Doc: `
A profile of marking begins at the lower threshold and has its full probability at the upper one. A
lossless queue that marks nothing has senders slow down by pauses alone, which spread.

Example:

    {
      "WRED_PROFILE": {
        "AZURE_LOSSLESS": {
          "ecn": "ecn_all", "green_min_threshold": "2000000", "green_max_threshold": "1000000"
        }
      }
    }

Fix: put the thresholds in order, and bind the profile to the queues that are lossless.

    {
      "WRED_PROFILE": {
        "AZURE_LOSSLESS": {
          "ecn": "ecn_all", "green_min_threshold": "1000000", "green_max_threshold": "2000000"
        }
      }
    }
`,
}

var topicWatchdog = diag.Topic{
	Code:    "conf-sonic-watchdog",
	Summary: "the watchdog of PFC does not watch what is paused, or as it should",
	Doc: `
The software watchdog ends a storm of pauses at the priorities of pfcwd_sw_enable, after
detection_time, which is no shorter than the interval at which it looks. Priorities with PFC that it
does not watch stay stopped.

Example:

    {
      "PFC_WD": {
        "GLOBAL": {"POLL_INTERVAL": "400"},
        "Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "400"}
      }
    }

Fix: make the times at least as long as the interval.

    {
      "PFC_WD": {
        "GLOBAL": {"POLL_INTERVAL": "200"},
        "Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "400"}
      }
    }
`,
}
