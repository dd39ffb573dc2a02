/*
 * In place of NVML: computers of STAND_IN_GPUS GPUs, "ring" or "switch". In a ring, GPU i has two links to each neighbour; with a
 * switch, each has four links to it, and a fifth that is down.
 */

#include <stdlib.h>
#include <string.h>

struct pci {
	char legacy[16];
	unsigned domain, bus, device, ids, subsystem;
	char bus_id[32];
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device);
int nvmlDeviceGetPciInfo_v3(void *device, struct pci *out);
int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active);
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link, struct pci *out);
int nvmlDeviceGetNvLinkVersion(void *device, unsigned link, unsigned *out);
int nvmlDeviceGetNvLinkRemoteDeviceType(void *device, unsigned link, int *out);

static int handles[16];
enum { FAILS = 999 };

static unsigned gpus(void)
{
	const char *s = getenv("STAND_IN_GPUS");
	return s ? (unsigned)atoi(s) : 0;
}

static int switched(void)
{
	const char *s = getenv("STAND_IN_LINKS");
	return s && strcmp(s, "switch") == 0;
}

static unsigned index_of(const void *device)
{
	return (unsigned)((const int *)device - handles);
}

int nvmlInit_v2(void)
{
	return getenv("STAND_IN_BROKEN") ? FAILS : 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = gpus();
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
	*device = &handles[i];
	return i < gpus() ? 0 : FAILS;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *out)
{
	*out = (struct pci){.domain = 1, .bus = 0x10 * (index_of(device) + 1)};
	return 0;
}

int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active)
{
	(void)device;
	*active = link < 4;
	return link < 5 ? 0 : FAILS;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link, struct pci *out)
{
	unsigned n = gpus();
	return nvmlDeviceGetPciInfo_v3(&handles[(index_of(device) + (link % 2 ? n - 1 : 1)) % n], out);
}

int nvmlDeviceGetNvLinkVersion(void *device, unsigned link, unsigned *out)
{
	(void)device, (void)link;
	*out = switched() ? 5 : 2;
	return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void *device, unsigned link, int *out)
{
	(void)device, (void)link;
	*out = switched() ? 2 : 0;
	return 0;
}
