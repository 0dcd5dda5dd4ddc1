/* Stands for ESP-IDF's: an ADC that measures what is in the standard input. */
#include "../../../recording.h"
#define ESP_OK 0
#define ESP_ERROR_CHECK(call) ((call) == ESP_OK ? (void)0 : exit(1))
enum { ADC_UNIT_1, ADC_ATTEN_DB_12, ADC_BITWIDTH_DEFAULT };
typedef int adc_oneshot_unit_handle_t, adc_channel_t;
typedef struct { int unit_id; } adc_oneshot_unit_init_cfg_t;
typedef struct { int atten, bitwidth; } adc_oneshot_chan_cfg_t;
static inline int adc_oneshot_new_unit(const adc_oneshot_unit_init_cfg_t *unit, int *adc)
{
    *adc = unit->unit_id;
    return ESP_OK;
}
static inline int adc_oneshot_config_channel(int adc, int channel, const adc_oneshot_chan_cfg_t *to)
{
    (void)adc, (void)channel, (void)to;
    return ESP_OK;
}
static inline int adc_oneshot_read(int adc, int channel, int *value)
{
    (void)adc, (void)channel;
    *value = next_measured();
    return ESP_OK;
}
