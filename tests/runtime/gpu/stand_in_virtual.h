/*
 * The part of the stand-in driver (stand_in_gpu.c, which includes it) for memory that cuMemCreate makes and for multicast
 * objects. In the environment, STAND_IN_NO_VIRTUAL, STAND_IN_NO_FILES and STAND_IN_NO_MULTICAST take these abilities away,
 * and STAND_IN_FABRIC adds fabric handles. As on a GPU, memory is not accessible before cuMemSetAccess, and a multicast
 * address only by the instructions for it (standInReplica), once every GPU of the team has bound its memory. Memory is unbound
 * before it is unmapped.
 */

enum {
	ATTRIBUTE_VIRTUAL = 102, ATTRIBUTE_FILES = 103, ATTRIBUTE_FABRIC = 128, ATTRIBUTE_MULTICAST = 132,
	AS_FILE = 1, AS_FABRIC = 8, HANDLES = 4096, VIRTUAL_GRANULE = 2 << 20,
};

struct team_member {
	int pid, file;
};

/* A multicast object, in a file of its own. */
struct team {
	unsigned wanted, added, bound; /* numbers of GPUs */
	unsigned char has[GPUS_MAX];
	struct team_member members[GPUS_MAX];
};

/* What a handle stands for in this process. */
struct physical {
	int file, device;
	size_t bytes;
	int ways;
	unsigned references;
	struct team *team; /* NULL: memory */
};

/* A multicast address. */
struct team_map {
	uint8_t *at;
	size_t bytes;
	struct team *team;
	uint8_t *replicas[GPUS_MAX];
	struct team_map *next;
};

static struct physical physicals[HANDLES]; /* handle - 1 */
static struct team_map *team_maps;

struct create_properties {
	int type, handles, location_type, number;
};

struct team_properties {
	unsigned devices;
	size_t bytes;
	unsigned long long handles, flags;
};

API int cuDeviceGetAttribute(int *value, int which, int d)
{
	(void)d;
	*value = which == ATTRIBUTE_VIRTUAL     ? !getenv("STAND_IN_NO_VIRTUAL")
		 : which == ATTRIBUTE_FILES     ? !getenv("STAND_IN_NO_FILES")
		 : which == ATTRIBUTE_FABRIC    ? getenv("STAND_IN_FABRIC") != NULL
		 : which == ATTRIBUTE_MULTICAST ? !getenv("STAND_IN_NO_MULTICAST")
						: 0;
	return OK;
}

static int take_handle(unsigned long long *handle, struct physical p)
{
	int error = NO_MEMORY;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < HANDLES && error != OK; i++)
		if (physicals[i].references == 0) {
			p.references = 1;
			physicals[i] = p;
			*handle = (unsigned long long)i + 1;
			error = OK;
		}
	pthread_mutex_unlock(&lock);
	return error;
}

static struct physical *physical_of(unsigned long long handle)
{
	if (handle < 1 || handle > HANDLES || physicals[handle - 1].references == 0)
		misuse("there is no handle %llu", handle);
	return &physicals[handle - 1];
}

API int cuMemCreate(unsigned long long *handle, size_t bytes, const struct create_properties *p, unsigned long long flags)
{
	int file = -1;

	if (flags || p->type != 1 || p->location_type != 1 || p->number >= gpus() || bytes % VIRTUAL_GRANULE != 0 || bytes == 0)
		return INVALID;
	if (p->handles & AS_FABRIC && getenv("STAND_IN_NO_IMEX"))
		return 800; /* not permitted */
	if (bytes > (size_t)1 << 36 || (file = memfd_create("gpu", MFD_CLOEXEC)) < 0 || ftruncate(file, (off_t)bytes) != 0)
		return NO_MEMORY;
	return take_handle(handle, (struct physical){.file = file, .device = p->number, .bytes = bytes, .ways = p->handles});
}

API int cuMemRelease(unsigned long long handle)
{
	pthread_mutex_lock(&lock);
	struct physical *p = physical_of(handle);
	if (--p->references == 0)
		close(p->file); /* mappings have their own */
	pthread_mutex_unlock(&lock);
	return OK;
}

API int cuMemAddressReserve(uintptr_t *at, size_t bytes, size_t alignment, uintptr_t wish, unsigned long long flags)
{
	size_t more = bytes + VIRTUAL_GRANULE;
	(void)alignment;
	uint8_t *base = wish || flags ? MAP_FAILED : mmap(NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NO_MEMORY;
	*at = ((uintptr_t)base + VIRTUAL_GRANULE - 1) / VIRTUAL_GRANULE * VIRTUAL_GRANULE;
	munmap(base, *at - (uintptr_t)base);
	munmap((uint8_t *)*at + bytes, more - bytes - (*at - (uintptr_t)base));
	return OK;
}

API int cuMemAddressFree(uintptr_t at, size_t bytes)
{
	return munmap((void *)at, bytes) == 0 ? OK : INVALID;
}

static int map_team(uintptr_t at, size_t bytes, struct team *team)
{
	struct team_map *m = calloc(1, sizeof *m);
	if (!m)
		return NO_MEMORY;
	*m = (struct team_map){.at = (uint8_t *)at, .bytes = bytes, .team = team};
	pthread_mutex_lock(&lock);
	m->next = team_maps;
	team_maps = m;
	pthread_mutex_unlock(&lock);
	return OK;
}

API int cuMemMap(uintptr_t at, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags)
{
	pthread_mutex_lock(&lock);
	struct physical p = *physical_of(handle);
	pthread_mutex_unlock(&lock);
	if (flags || offset || bytes != p.bytes)
		return INVALID;
	if (p.team)
		return map_team(at, bytes, p.team);
	struct allocation *a = calloc(1, sizeof *a);
	if (!a || mmap((void *)at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p.file, 0) == MAP_FAILED)
		return NO_MEMORY;
	*a = (struct allocation){.base = (uint8_t *)at, .bytes = bytes, .file = dup(p.file), .is_virtual = true, .device = p.device};
	pthread_mutex_lock(&lock);
	a->next = allocations;
	allocations = a;
	pthread_mutex_unlock(&lock);
	return OK;
}

static bool unmap_team(uintptr_t at)
{
	for (struct team_map **p = &team_maps; *p; p = &(*p)->next)
		if ((uintptr_t)(*p)->at == at) {
			struct team_map *m = *p;
			*p = m->next;
			for (int i = 0; i < GPUS_MAX; i++)
				if (m->replicas[i])
					munmap(m->replicas[i], m->bytes);
			free(m);
			return true;
		}
	return false;
}

API int cuMemUnmap(uintptr_t at, size_t bytes)
{
	pthread_mutex_lock(&lock);
	bool done = unmap_team(at);
	for (struct allocation **p = &allocations; *p && !done; p = &(*p)->next)
		if ((uintptr_t)(*p)->base == at && (*p)->is_virtual) {
			struct allocation *a = *p;
			if (a->bound)
				misuse("unmapping of memory that is bound to a multicast object");
			*p = a->next;
			close(a->file);
			free(a);
			done = true;
			break;
		}
	pthread_mutex_unlock(&lock);
	if (!done)
		misuse("unmapping of what is not mapped");
	return mmap((void *)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED ? INVALID : OK;
}

API int cuMemSetAccess(uintptr_t at, size_t bytes, const void *accesses, size_t n)
{
	const int *a = accesses; /* type of location, GPU, kind of access */
	bool team = false;

	pthread_mutex_lock(&lock);
	for (const struct team_map *m = team_maps; m; m = m->next)
		team |= (uintptr_t)m->at == at;
	pthread_mutex_unlock(&lock);
	if (n != 1 || a[0] != 1 || a[1] >= gpus() || a[2] != 3)
		return INVALID;
	if (!team && mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) != 0)
		return INVALID;
	return OK;
}

API int cuMemExportToShareableHandle(void *to, unsigned long long handle, int how, unsigned long long flags)
{
	int one[2] = {getpid(), 0};

	pthread_mutex_lock(&lock);
	struct physical p = *physical_of(handle);
	pthread_mutex_unlock(&lock);
	if (flags || !(p.ways & how))
		return INVALID;
	if (how == AS_FILE) {
		*(int *)to = dup(p.file);
		return *(int *)to < 0 ? INVALID : OK;
	}
	one[1] = p.file;
	memset(to, 0, 64);
	memcpy(to, one, sizeof one);
	return OK;
}

static int import_file(unsigned long long *handle, int file)
{
	char link[64], name[64] = "";
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	if (readlink(link, name, sizeof name - 1) < 0)
		return INVALID;
	off_t bytes = lseek(file, 0, SEEK_END);
	struct physical p = {.file = file, .bytes = (size_t)bytes, .ways = AS_FILE | AS_FABRIC};
	if (strstr(name, "team")) {
		p.team = mmap(NULL, sizeof *p.team, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		if (p.team == MAP_FAILED)
			return INVALID;
	}
	return take_handle(handle, p);
}

API int cuMemImportFromShareableHandle(unsigned long long *handle, void *from, int how)
{
	char path[64];
	int one[2];

	if (how == AS_FILE)
		return import_file(handle, dup((int)(intptr_t)from));
	memcpy(one, from, sizeof one);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", one[0], one[1]);
	int file = open(path, O_RDWR | O_CLOEXEC);
	return file < 0 ? INVALID : import_file(handle, file);
}

API int cuMemRetainAllocationHandle(unsigned long long *handle, void *at)
{
	pthread_mutex_lock(&lock);
	struct allocation *a = find(at);
	struct physical p = a && a->is_virtual ? (struct physical){.file = dup(a->file), .device = a->device, .bytes = a->bytes, .ways = AS_FILE | AS_FABRIC}
					       : (struct physical){.file = -1};
	pthread_mutex_unlock(&lock);
	return p.file < 0 ? INVALID : take_handle(handle, p);
}

API int cuMulticastGetGranularity(size_t *bytes, const struct team_properties *p, int which)
{
	(void)which;
	*bytes = VIRTUAL_GRANULE;
	return p->devices ? OK : INVALID;
}

API int cuMulticastCreate(unsigned long long *handle, const struct team_properties *p)
{
	int file = memfd_create("team", MFD_CLOEXEC);

	if (p->devices < 2 || p->devices > (unsigned)gpus() || p->bytes % VIRTUAL_GRANULE != 0 || file < 0 || ftruncate(file, (off_t)p->bytes) != 0)
		return INVALID;
	struct team *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (t == MAP_FAILED)
		return NO_MEMORY;
	t->wanted = p->devices;
	return take_handle(handle, (struct physical){.file = file, .bytes = p->bytes, .ways = (int)p->handles, .team = t});
}

static struct team *team_of(unsigned long long handle)
{
	pthread_mutex_lock(&lock);
	struct team *t = physical_of(handle)->team;
	pthread_mutex_unlock(&lock);
	if (!t)
		misuse("memory takes the place of a multicast object");
	return t;
}

API int cuMulticastAddDevice(unsigned long long handle, int d)
{
	struct team *t = team_of(handle);

	if (d >= gpus() || __atomic_exchange_n(&t->has[d], 1, __ATOMIC_SEQ_CST))
		return INVALID;
	__atomic_add_fetch(&t->added, 1, __ATOMIC_SEQ_CST);
	return OK;
}

API int cuMulticastBindAddr(unsigned long long handle, size_t offset, uintptr_t at, size_t bytes, unsigned long long flags)
{
	struct team *t = team_of(handle);

	if (__atomic_load_n(&t->added, __ATOMIC_SEQ_CST) != t->wanted)
		misuse("memory is bound to a multicast object before all GPUs are added to it");
	pthread_mutex_lock(&lock);
	struct allocation *a = find((void *)at);
	int error = !offset && !flags && a && a->is_virtual && (uintptr_t)a->base == at && a->bytes >= bytes && t->has[a->device] ? OK : INVALID;
	if (error == OK) {
		a->bound = t;
		t->members[__atomic_fetch_add(&t->bound, 1, __ATOMIC_SEQ_CST)] = (struct team_member){getpid(), a->file};
	}
	pthread_mutex_unlock(&lock);
	return error;
}

API int cuMulticastUnbind(unsigned long long handle, int d, size_t offset, size_t bytes)
{
	struct team *t = team_of(handle);

	(void)bytes;
	pthread_mutex_lock(&lock);
	for (struct allocation *a = allocations; a; a = a->next)
		if (a->bound == t && a->device == d)
			a->bound = NULL;
	pthread_mutex_unlock(&lock);
	return t->has[d] && !offset ? OK : INVALID;
}

/* With the lock. */
static struct team_map *team_map_of(const void *at)
{
	for (struct team_map *m = team_maps; m; m = m->next)
		if ((const uint8_t *)at >= m->at && (const uint8_t *)at < m->at + m->bytes)
			return m;
	misuse("an instruction for multicast addresses at another");
}

static uint8_t *map_replica(const struct team_map *m, uint32_t i)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", m->team->members[i].pid, m->team->members[i].file);
	int file = open(path, O_RDWR | O_CLOEXEC);
	uint8_t *base = file < 0 ? MAP_FAILED : mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (base == MAP_FAILED)
		misuse("memory of a multicast object is gone");
	close(file);
	return base;
}

API void *standInReplica(const void *at, uint32_t i)
{
	pthread_mutex_lock(&lock);
	struct team_map *m = team_map_of(at);
	if (__atomic_load_n(&m->team->bound, __ATOMIC_SEQ_CST) != m->team->wanted)
		misuse("a multicast address is used before all memory is bound to it");
	if (!m->replicas[i])
		m->replicas[i] = map_replica(m, i);
	void *there = m->replicas[i] + ((const uint8_t *)at - m->at);
	pthread_mutex_unlock(&lock);
	return there;
}

static unsigned multicasts;
API unsigned standInMulticasts(void) { return multicasts; }

API uint32_t standInMembers(const void *at)
{
	__atomic_add_fetch(&multicasts, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&lock);
	uint32_t n = team_map_of(at)->team->wanted;
	pthread_mutex_unlock(&lock);
	return n;
}
